import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { welcomeMessage } from "../src/welcome-message.js";
import { makeApi, type Problem } from "./api.js";
import { createShopDatabase } from "./shop.js";

const example = path.join(import.meta.dirname, "..");

describe("C38 C40 C52 the three ways to start the shop, in a separate process", () => {
  let database: Awaited<ReturnType<typeof createShopDatabase>>;
  let bare: string;
  let running: ChildProcess | undefined;
  beforeAll(async () => {
    if (!fs.existsSync(path.join(example, "dist", "app.js")))
      throw new Error("The example is not built: npm run build");
    database = await createShopDatabase();
    bare = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-forms-"));
    fs.writeFileSync(path.join(bare, "package.json"), "{}");
  });
  afterEach(() => {
    running?.kill("SIGKILL");
  });
  afterAll(async () => {
    await database?.drop();
    fs.rmSync(bare, { recursive: true, force: true });
  });

  /** The output of a start in a directory: its URL, and the file that was read. */
  async function start(directory: string, form: "file" | "init", reported: object = {}, args: readonly string[] = []) {
    const { PORT: _port, HOST: _host, ...environment } = process.env;
    const program = path.join(import.meta.dirname, "processes", "start-form.mjs");
    const child = spawn(process.execPath, [program, form, JSON.stringify(reported), ...args], {
      cwd: directory,
      env: { ...environment, DATABASE_URL: database.url, NODE_ENV: "test", PORT: "0", HOST: "127.0.0.1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running = child;
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk));
    for (;;) {
      const [, url, file] = /listening (\S+) (.+)/.exec(printed) ?? [];
      if (url !== undefined) return { child, url, file };
      if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}:\n${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Evidence that the complete shop runs: rows, a custom route, a rejection, an email. */
  async function see(url: string) {
    const api = makeApi(url);
    const welcome = await api.call<{ readonly message: string }>("GET", "/api");
    const tags = await api.list("/api/tags?limit=3");
    const best = await api.call<{ readonly data: readonly unknown[] }>("GET", "/api/reports/best-sellers?limit=2");
    const rejected = await api.call<Problem>("GET", "/api/tags?nothing=1");
    return [welcome.body.message, tags.data.length, tags.meta.total, best.body.data.length, rejected.status];
  }

  const complete = (message: string) => [message, 3, 24, 2, 400];

  it("service.config.ts alone: service.init()", async () => {
    const directory = path.join(import.meta.dirname, "forms");
    const { url, file } = await start(directory, "file");
    expect(file).toBe(path.join(directory, "service.config.ts"));
    expect(await see(url)).toEqual(complete(welcomeMessage));
  });

  it("service.init({ … }) alone, in a folder without a file", async () => {
    const { url, file } = await start(bare, "init", { welcomeMessage: "All in code." });
    expect(file).toBe("without a file");
    expect(await see(url)).toEqual(complete("All in code."));
  });

  it("both, and service.init takes precedence", async () => {
    const { child, url, file } = await start(example, "init", { limits: { page: { max: 7 } } });
    expect(file).toBe(path.join(example, "service.config.ts"));
    expect(await see(url)).toEqual(complete(welcomeMessage));
    expect((await makeApi(url).call("GET", "/api/tags?limit=8")).status).toBe(400);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);

    const second = await start(example, "init", { welcomeMessage: "Code wins.", port: 0, host: "127.0.0.1" });
    expect(await see(second.url)).toEqual(complete("Code wins."));
  });

  it("C38 -p takes precedence over all", async () => {
    const { url } = await start(bare, "init", { port: 1 }, ["-p", "0"]);
    expect(Number(new URL(url).port)).toBeGreaterThan(1);
  });
});
