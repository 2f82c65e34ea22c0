import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./test/free-port.js";
import { newUserEnvironment } from "./test/new-user-environment.js";
import { tarballsOf, withDependencies } from "./test/packed-packages.js";

/*
 * Follows docs/guides/existing-project.md in an empty folder with packed packages: its commands, its files, its requests.
 */
const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..");
const page = fs.readFileSync(path.join(root, "docs/guides/existing-project.md"), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const shells = blocks.flatMap(({ language, text }) => (language === "sh" ? [text.trim().split("\n")] : []));
const start = shells.findIndex(([line]) => line === "npx service dev");
const setup = shells.slice(0, start).flat();
const [[develop = ""] = [], requests = []] = shells.slice(start);

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-existing-project-"));
const project = path.join(place, "shop");
const tarballs = tarballsOf([...withDependencies("service"), "dev-database"]);
const environment = newUserEnvironment({ npm_config_audit: "false", npm_config_fund: "false" });

/** A command with our packages from their tarballs, including dependencies, because they are not published yet. */
function withTarballs(line: string): string {
  if (!line.startsWith("npm install") || !line.includes("@servicekit/")) return line;
  const ours = [...tarballs].map(([name, tarball]) => `@servicekit/${name}@file:${tarball}`);
  return [line.replaceAll(/ @servicekit\/[\w-]+/g, ""), ...ours].join(" ");
}

beforeAll(async () => {
  // The account of the embedded database must be able to read its folder.
  fs.chmodSync(place, 0o755);
  fs.mkdirSync(project);
  for (const line of setup) await run("bash", ["-c", withTarballs(line)], { cwd: project, env: environment });
  for (const { text } of blocks) {
    const [, file] = /^\/\/ (\S+\.\w+)\n/.exec(text) ?? [];
    if (file === undefined) continue;
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    fs.writeFileSync(path.join(project, file), text);
  }
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  fs.writeFileSync(path.join(project, "portrait.png"), Buffer.from(pixel, "base64"));
}, 600_000);
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

describe("C73 an existing project", () => {
  it("has the commands and files of the guide", () => {
    expect(setup.length).toBeGreaterThan(4);
    expect(develop).toBe("npx service dev");
    const files = ["tsconfig.json", "prisma/schema.prisma", "src/main.ts", "src/greetings.ts", "service.config.ts"];
    expect(files.filter((file) => !fs.existsSync(path.join(project, file)))).toEqual([]);
  });

  it("returns the status codes of the guide", async () => {
    const port = await freePort();
    const env = { ...environment, PORT: String(port) };
    const child = spawn("bash", ["-c", `exec ${develop}`], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
    let message = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (message += chunk));
    try {
      while ((await fetch(`http://localhost:${port}/api`).catch(() => undefined))?.ok !== true) {
        if (child.exitCode !== null || message.includes("✗")) throw new Error(message);
        await wait(100);
      }
      for (const line of requests) {
        if (!line.startsWith("curl ")) continue;
        const [, status] = /# (\d{3})\b/.exec(line) ?? [];
        const reported = line
          .replace(/^curl /, "curl --silent --output response.json --write-out '%{http_code}' ")
          .replaceAll("localhost:8000", `localhost:${port}`);
        const { stdout } = await run("bash", ["-c", reported], { cwd: project, env: environment });
        expect(stdout, `${line}\n${fs.readFileSync(path.join(project, "response.json"), "utf8")}`).toBe(status);
      }
    } finally {
      child.kill("SIGTERM");
    }
    await expect
      .poll(() =>
        fetch(`http://localhost:${port}/api`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
  });

  it("type-checks and builds", async () => {
    await run("npx", ["tsc"], { cwd: project, env: environment });
    await run("npx", ["service", "build"], { cwd: project, env: environment });
    expect(fs.existsSync(path.join(project, "dist/modules/review/review.model.js"))).toBe(true);
    const { stdout } = await run("node", ["dist/main.js", "openapi", "--out", "openapi.json"], {
      cwd: project,
      env: environment,
    });
    expect(stdout).toContain("openapi.json describes");
  });
});
