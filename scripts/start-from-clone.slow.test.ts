import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, inject, it } from "vitest";
import { createDatabase } from "../packages/dev-database/src/index.js";
import { freePort } from "./test/free-port.js";
import { emptyCache, newUserEnvironment } from "./test/new-user-environment.js";

const root = path.join(import.meta.dirname, "..");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-clone-"));
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

/** What a commit of the working tree contains. */
function copyRepository(to: string): void {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of list.toString().split("\0")) {
    const from = path.join(root, file);
    if (file !== "" && fs.existsSync(from)) fs.cpSync(from, path.join(to, file), { verbatimSymlinks: true });
  }
}

/** An empty home, except for the registry of the machine. */
function makeHome(): string {
  const home = path.join(place, "home");
  fs.mkdirSync(home);
  const npmrc = path.join(os.homedir(), ".npmrc");
  if (fs.existsSync(npmrc)) fs.copyFileSync(npmrc, path.join(home, ".npmrc"));
  return home;
}

it("npm start in a new clone installs what the example needs, and serves it", { timeout: 600_000 }, async () => {
  const clone = path.join(place, "clone");
  copyRepository(clone);
  const database = await createDatabase(inject("postgresUrl"));
  const port = await freePort();
  const home = makeHome();
  const child = spawn("npm", ["start"], {
    cwd: clone,
    env: newUserEnvironment({
      HOME: home,
      ...emptyCache(home),
      DATABASE_URL: database.url,
      PORT: String(port),
      HOST: "127.0.0.1",
    }),
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit");
  try {
    await Promise.race([
      exited.then(() => expect.fail(output)),
      expect.poll(() => output, { timeout: 500_000, interval: 100 }).toContain("Ctrl+C"),
    ]);
    const response = await fetch(`http://127.0.0.1:${port}/api/products`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ meta: { total: expect.any(Number) } });
    // Each step is announced; nothing is built, and neither the studio's nor the test's tools are installed.
    expect(output).toMatch(/— install …[\s\S]+— generate …[\s\S]+— start/);
    expect(output).not.toContain("— build");
    expect(output).not.toMatch(/WARN.*(engine|Unsupported)/i);
    expect(fs.existsSync(path.join(clone, "node_modules/vitest"))).toBe(false);
    process.kill(-(child.pid ?? 0), "SIGINT");
    await exited;
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    await database.drop();
  }
});
