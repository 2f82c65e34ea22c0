import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createDatabase, type DevDatabase, pushSchema, startDevDatabase } from "@servicekit/dev-database";
import pg from "pg";
import { pino } from "pino";
import { afterEach, describe, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import service, { type RunningService } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";

const schema = { directory: path.join(import.meta.dirname, "fixtures/notes") };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** A connection to the database that can be closed, frozen and redirected. */
async function startProxy(target: () => number, port = 0) {
  const sockets = new Set<net.Socket>();
  let frozen = false;
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on("error", () => undefined).on("close", () => sockets.delete(client));
    const upstream = net.connect(target(), "127.0.0.1");
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.on("data", (chunk) => frozen || upstream.write(chunk));
    upstream.on("data", (chunk) => frozen || client.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    freeze: (on: boolean) => {
      frozen = on;
    },
  };
}

async function serve(url: string, logger = pino({ level: "silent" })): Promise<RunningService> {
  const running = await service.init(
    {
      port: 0,
      host: "127.0.0.1",
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      timeouts: { statement: 1_500, poolWait: 800 },
      middlewares: { rateLimit: { limit: 1_000_000 } },
      logger,
    },
    { environment: { DATABASE_URL: url }, argv: [] },
  );
  cleanUp.push(() => running.close());
  return running;
}

const call = async (running: RunningService, method = "GET", body?: object) => {
  const response = await fetch(`${running.url}/api/notes`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const reply = await response.json();
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, code: reply.code, response: reply, retryAfter };
};

const ready = async (running: RunningService) => {
  const response = await fetch(`${running.url}/api/health/ready`);
  return [response.status, await response.json()];
};

/** The service recovers by itself. */
async function untilWell(running: RunningService): Promise<void> {
  await expect.poll(async () => (await call(running)).status).toBe(200);
}

const portOf = (url: string): number => Number(new URL(url).port);
const through = (url: string, port: number): string => Object.assign(new URL(url), { port: String(port) }).href;

describe("C17 C41 a failing database", () => {
  it("that accepts connections and never responds is 503 or 504, and other routes are served", async () => {
    const silent = net.createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanUp.push(() => silent.close());
    const running = await serve(`postgresql://postgres@127.0.0.1:${(silent.address() as AddressInfo).port}/test`);
    const requested = Promise.all(Array.from({ length: 20 }, () => call(running)));
    const welcome = await fetch(`${running.url}/api`);
    expect(welcome.status).toBe(200);
    for (const { status, code, retryAfter } of await requested) {
      expect([503, 504]).toContain(status);
      expect(code).toMatch(/^Database/);
      if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0);
    }
  });

  it("that rejects connections is 503 with Retry-After", async () => {
    const running = await serve("postgresql://postgres@127.0.0.1:9/test");
    const { status, code, retryAfter, response: reply } = await call(running);
    expect([status, code]).toEqual([503, "DatabaseUnavailable"]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(JSON.stringify(reply)).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|prisma/i);
    expect(await ready(running)).toEqual([503, { status: "unavailable", checks: { database: "down" } }]);
    expect((await fetch(`${running.url}/api/health/live`)).status).toBe(200);
  });

  it("that is killed is 503, and the service recovers without a restart", async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-errors-"));
    cleanUp.push(() => fs.rmSync(directory, { recursive: true, force: true }));
    let database: DevDatabase = await startDevDatabase({ directory });
    cleanUp.push(() => database.stop());
    const created = await createDatabase(database.url, { name: "notes" });
    await pushSchema(created.url, schema);
    const proxy = await startProxy(() => database.port);
    const running = await serve(through(created.url, proxy.port));
    expect((await call(running, "POST", { text: "before" })).status).toBe(201);

    let going = true;
    const statuses: number[] = [];
    const acknowledged: string[] = [];
    const load = Array.from({ length: 5 }, async (_, worker) => {
      for (let i = 0; going; i++) {
        const text = `${worker}/${i}`;
        const { status } = await call(running, "POST", { text });
        statuses.push(status);
        if (status === 201) acknowledged.push(text);
        await wait(5);
      }
    });
    await wait(300);
    const [pid] = fs
      .readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith("postmaster.pid"))
      .map((file) => Number(fs.readFileSync(path.join(directory, file), "utf8").split("\n")[0]));
    if (pid === undefined) await database.stop();
    else process.kill(pid, "SIGKILL");
    await wait(500);
    const away = await call(running);
    expect([503, 504]).toContain(away.status);
    // Readiness is cached for a second.
    await expect.poll(() => ready(running)).toEqual([503, { status: "unavailable", checks: { database: "down" } }]);
    database = await startDevDatabase({ directory });
    await untilWell(running);
    await wait(200);
    going = false;
    await Promise.all(load);
    await expect.poll(() => ready(running)).toEqual([200, { status: "ready", checks: { database: "up" } }]);
    expect(statuses.every((status) => [201, 503, 504].includes(status))).toBe(true);
    const client = new pg.Client({ connectionString: through(created.url, database.port) });
    await client.connect();
    const { rows } = await client.query('SELECT text FROM "Note"');
    await client.end();
    const stored = new Set(rows.map(({ text }) => text));
    expect(acknowledged.filter((text) => !stored.has(text))).toEqual([]);
  });

  it("whose connection freezes is 504 or 503, and the service recovers afterwards", async () => {
    const created = await createPushedDatabase(inject("postgresUrl"), schema.directory);
    cleanUp.push(() => created.drop());
    const proxy = await startProxy(() => portOf(created.url) || 5432);
    const running = await serve(through(created.url, proxy.port));
    expect((await call(running)).status).toBe(200);
    proxy.freeze(true);
    const { status } = await call(running);
    expect([503, 504]).toContain(status);
    proxy.freeze(false);
    await untilWell(running);
  });

  it("without a free connection is 503 for waiting requests and 504 for running ones", async () => {
    const created = await createPushedDatabase(inject("postgresUrl"), schema.directory);
    cleanUp.push(() => created.drop());
    const running = await serve(created.url);
    expect((await call(running)).status).toBe(200);
    const blocker = new pg.Client({ connectionString: created.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE "Note" IN ACCESS EXCLUSIVE MODE');
    const responses = await Promise.all(Array.from({ length: 40 }, () => call(running)));
    await blocker.query("ROLLBACK");
    await blocker.end();
    const statuses = responses.map(({ status }) => status);
    expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
    expect(statuses).toContain(503);
    expect(statuses).toContain(504);
    await untilWell(running);
  });
});

it("C41 that is unavailable at startup is queried again with growing pauses", async () => {
  const lines: { readonly msg: string; readonly retryMs?: number; readonly tries?: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const created = await createPushedDatabase(inject("postgresUrl"), schema.directory);
  cleanUp.push(() => created.drop());
  const target = new URL(created.url);
  const free = net.createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const url = new URL(created.url);
  url.hostname = "127.0.0.1";
  url.port = String(port);

  const { url: at } = await serve(url.href, log);
  expect((await fetch(`${at}/api/health/ready`)).status).toBe(503);
  const away = () =>
    lines.flatMap(({ msg, retryMs }) => (msg.startsWith("the database is unavailable") ? [retryMs] : []));
  await expect.poll(away).toEqual([500, 1000]);
  await startProxy(() => Number(target.port || 5432), port);
  await expect.poll(() => lines.find(({ msg }) => msg === "the database is available")?.tries).toBeGreaterThan(1);
  await expect.poll(async () => (await fetch(`${at}/api/health/ready`)).status).toBe(200);
});
