import { randomInt } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hasPgBouncer, type PgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import {
  findPostgresPrograms,
  type PostgresCluster,
  startPostgresCluster,
} from "../../../scripts/test/postgres-cluster.js";
import { drawn, slowShare } from "../../../scripts/test/slow-share.js";
import { pushSchema } from "../../dev-database/src/index.js";
import { type ServiceInitConfig, ServiceRouter } from "../src/index.js";
import { type RunningService } from "../src/init-service.js";
import { makeContext } from "../src/service-context.js";
import { readEvents } from "./event-reader.js";
import { PrismaClient as RecordedClient } from "./generated/changes/client/client.js";
import * as recorded from "./generated/changes/models.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const programs = findPostgresPrograms();
const { init, closeAll, logged } = makeStarter();
const contextOf = makeContext<PrismaClient>();
// The troubles of a sampled run last long enough for hundreds.
const requests = slowShare < 1 ? drawn(4_000) : 10_000;
const clients = 12;

/** Only for tests that hang. */
const until = <T>(check: () => T | Promise<T>) => vi.waitUntil(check, { timeout: 60_000, interval: 20 });

let cluster: PostgresCluster;
let bouncers: PgBouncer[] = [];
let services: RunningService[];
let proxy: { readonly url: string; close(): Promise<unknown> };

beforeAll(async () => {
  if (programs === undefined) return;
  cluster = await startPostgresCluster(programs, async (primary) => {
    await primary.query("CREATE DATABASE shop");
    await pushSchema(primary.urlOf("shop"), { directory: path.join(import.meta.dirname, "fixtures/notes") });
    await primary.query("CREATE DATABASE orders");
    await pushSchema(primary.urlOf("orders"), { directory: path.join(import.meta.dirname, "fixtures/changes") });
  });
  const servers = [cluster.primary, ...cluster.replicas];
  if (hasPgBouncer())
    bouncers = await Promise.all(
      servers.map((server) => startPgBouncer(server.urlOf("shop"), { mode: "transaction", size: 20 })),
    );
  services = await Promise.all([start("auto"), start("prisma"), start("auto", 1_000, throughBouncers)]);
  proxy = await startProxy(services.map(({ server }) => (server.address() as AddressInfo).port));
});
afterAll(async () => {
  await proxy?.close();
  await closeAll();
  await Promise.all(bouncers.map((bouncer) => bouncer.stop()));
  await cluster?.stop();
});

/** The URLs of the servers, each through its PgBouncer. */
function throughBouncers(): readonly string[] {
  return [cluster.primary, ...cluster.replicas].map(
    (server, at) => bouncers[at]?.urlOf(server.urlOf("shop")) ?? server.urlOf("shop"),
  );
}

const direct = (): readonly string[] => [cluster.primary, ...cluster.replicas].map((server) => server.urlOf("shop"));

interface StartOptions extends Pick<ServiceInitConfig, "use" | "models"> {
  readonly cors?: NonNullable<ServiceInitConfig["middlewares"]>["cors"];
  readonly environment?: string;
}

function start(
  engine: "auto" | "prisma",
  maxLagMs = 1_000,
  urlsOf = direct,
  { use = [], models: configured = {}, cors = false, environment = "test" }: StartOptions = {},
): Promise<RunningService> {
  const [, ...replicas] = urlsOf();
  const hosts = urlsOf().map((url) => new URL(url).host);
  return init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), engine, maxLagMs },
      middlewares: { rateLimit: { limit: 10_000_000 }, cors },
      models: configured,
      use,
    },
    {
      environment: {
        NODE_ENV: environment,
        DATABASE_URL: `postgresql://postgres@${hosts.join()}/shop?target_session_attrs=read-write`,
        DATABASE_REPLICA_URLS: replicas.join(","),
      },
    },
  );
}

/** A proxy that sends each request to a random instance. */
async function startProxy(ports: readonly number[]) {
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    const port = ports[randomInt(ports.length)];
    const { method, url, headers } = request;
    const forwarded = http.request({ agent, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.once("error", () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: { readonly data?: { readonly id: number; readonly text: string } };
}

/** A client with one note, whose text counts the client's writes. */
class Client {
  readonly #carrier: "header" | "cookie";
  #token: string | undefined;
  id: number | undefined;
  /** The number of the last confirmed write, and of the last attempt. */
  confirmed = 0;
  attempted = 0;
  readonly failures = new Map<string, number>();
  stale = 0;
  done = 0;

  constructor(carrier: "header" | "cookie") {
    this.#carrier = carrier;
  }

  async #send(method: string, at: string, body?: object): Promise<Reply | undefined> {
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    if (this.#token !== undefined)
      headers[this.#carrier === "header" ? "consistency-token" : "cookie"] =
        this.#carrier === "header" ? this.#token : `consistency_token=${this.#token}`;
    try {
      const response = await fetch(`${proxy.url}/api/notes${at}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const cookie = /consistency_token=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1];
      this.#token = (this.#carrier === "header" ? response.headers.get("consistency-token") : cookie) ?? this.#token;
      if (response.status === 503) expect(response.headers.get("retry-after")).not.toBeNull();
      return {
        status: response.status,
        body: response.status === 204 ? {} : ((await response.json()) as Reply["body"]),
      };
    } catch {
      return undefined;
    } finally {
      this.done++;
    }
  }

  #count(kind: string, reply: Reply | undefined): void {
    const name = `${kind} ${reply?.status ?? "no response"}`;
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }

  /** Whether it was confirmed. */
  async write(): Promise<boolean> {
    const number = ++this.attempted;
    const body = { text: String(number) };
    const reply =
      this.id === undefined ? await this.#send("POST", "", body) : await this.#send("PATCH", `/${this.id}`, body);
    if (reply === undefined || reply.status >= 300) {
      this.#count("write", reply);
      return false;
    }
    this.id ??= reply.body.data?.id;
    this.confirmed = number;
    return true;
  }

  async read(): Promise<void> {
    if (this.id === undefined) return;
    const isList = randomInt(2) === 0;
    const reply = await this.#send("GET", isList ? `?id=${this.id}` : `/${this.id}`);
    if (reply === undefined || (reply.status !== 200 && reply.status !== 404)) return this.#count("read", reply);
    const found = [reply.body.data].flat()[0];
    const number = Number(found?.text ?? 0);
    if (number < this.confirmed || number > this.attempted) this.stale++;
  }

  /** One write and the reads after it. */
  async step(): Promise<void> {
    await this.write();
    for (let reads = randomInt(5); reads > 0; reads--) await this.read();
  }
}

const readiness = (service: RunningService) =>
  fetch(`http://127.0.0.1:${(service.server.address() as AddressInfo).port}/api/health/ready`).then(
    async (response) => ((await response.json()) as { checks: Record<string, string> }).checks,
  );
const bothAreUp = (service: RunningService) =>
  until(async () => {
    const checks = await readiness(service);
    return checks["replica 1"] === "up" && checks["replica 2"] === "up";
  });
const allReport = (name: string, state: "up" | "down") =>
  vi.waitUntil(async () => (await Promise.all(services.map(readiness))).every((checks) => checks[name] === state), {
    timeout: 60_000,
    interval: 100,
  });

/** The number of scans of the notes on each replica. */
const scans = () =>
  Promise.all(
    cluster.replicas.map(async (replica) => {
      const sql =
        "SELECT (seq_scan + coalesce(idx_scan, 0))::int AS count FROM pg_stat_user_tables WHERE relname = 'Note'";
      return Number((await replica.query(sql, "shop"))[0]?.count);
    }),
  );

describe.skipIf(programs === undefined)("replicas of a real cluster", () => {
  it("C122 only a client without a token may read what was before its write", { timeout: 120_000 }, async () => {
    const service = await start("auto", 60_000);
    await bothAreUp(service);
    const url = `${service.url}/api/notes`;
    const write = (method: string, at: string, text: string) =>
      fetch(url + at, { method, headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) });
    const { data } = (await (await write("POST", "", "before")).json()) as { data: { id: number } };
    const read = async (headers: Record<string, string> = {}): Promise<string | undefined> => {
      const response = await fetch(`${url}/${data.id}`, { headers });
      return ((await response.json()) as { data?: { text: string } }).data?.text;
    };
    await until(async () => (await read()) === "before");
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_pause()")));
    const { headers } = await write("PATCH", `/${data.id}`, "after");
    const token = headers.get("consistency-token") ?? "";
    expect(await read()).toBe("before");
    const begun = performance.now();
    expect(await read({ "consistency-token": token })).toBe("after");
    expect(await read({ cookie: `a=b; consistency_token=${token}` })).toBe("after");
    console.info({ readsFromThePrimaryMs: Math.round(performance.now() - begun) / 2 });
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_resume()")));
    await until(async () => (await read()) === "after");
    await service.close();
  });

  it("C121 code of the application reads with a Prisma client of a replica what the client has written before", {
    timeout: 120_000,
  }, async () => {
    const routes = ServiceRouter();
    const state = "SELECT pg_is_in_recovery() AS standby, pg_backend_pid() AS pid";
    routes.get({ path: "/api/texts/:id" }, async (request, response) => {
      const { read } = contextOf(request);
      const where = { id: Number(request.params.id) };
      response.json(
        await read.run((client) =>
          client.$transaction(async (inside) => {
            const [{ standby }] = await inside.$queryRawUnsafe<[{ standby: boolean }]>(state);
            return { standby, groups: await inside.note.groupBy({ by: ["text"], where, _count: true }) };
          }),
        ),
      );
    });
    const attempts: { standby: boolean; pid: number }[] = [];
    routes.get({ path: "/api/slow" }, async (request, response) => {
      const { read } = contextOf(request);
      response.json(
        await read.run(async (client) => {
          const [found] = await client.$queryRawUnsafe<[{ standby: boolean; pid: number }]>(state);
          attempts.push(found);
          if (found.standby) await client.$queryRawUnsafe("SELECT pg_terminate_backend(pg_backend_pid())::text");
          return found;
        }),
      );
    });
    routes.get({ path: "/api/writes" }, async (request, response) => {
      const { read } = contextOf(request);
      response.json(await read.run((client) => client.note.create({ data: { text: "no" } })));
    });
    routes.post({ path: "/api/texts" }, async (request, response) => {
      const { client, read } = contextOf(request);
      const { id } = await client.note.create({ data: { text: "written" } });
      const [found] = await read.run((one) => one.$queryRawUnsafe<[{ standby: boolean }]>(state));
      response.json({ id, standby: found.standby, text: (await read.of("Note").findUnique({ where: { id } }))?.text });
    });
    const service = await start("auto", 60_000, direct, { use: [routes] });
    await bothAreUp(service);
    const get = async (at: string, headers: Record<string, string> = {}) =>
      (await fetch(`${service.url}/api/${at}`, { headers })).json();
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_pause()")));
    const written = await fetch(`${service.url}/api/texts`, { method: "POST" });
    const { id, ...own } = (await written.json()) as { id: number };
    expect(own).toEqual({ standby: false, text: "written" });
    const headers = { "consistency-token": written.headers.get("consistency-token") ?? "" };
    const groups = [{ text: "written", _count: 1 }];
    expect(await get(`texts/${id}`)).toEqual({ standby: true, groups: [] });
    expect(await get(`texts/${id}`, headers)).toEqual({ standby: false, groups });
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_resume()")));
    await until(async () => (await get(`texts/${id}`, headers)).standby);
    expect(await get(`texts/${id}`)).toEqual({ standby: true, groups });

    expect(await get("slow")).toMatchObject({ standby: false });
    expect(attempts.map(({ standby }) => standby)).toEqual([true, false]);

    expect((await fetch(`${service.url}/api/writes`)).status).toBe(500);
    const logs = logged().map(({ err }) => String((err as { message?: string } | undefined)?.message));
    expect(logs.filter((message) => message.startsWith("The work of read.run writes"))).toHaveLength(1);
    expect(await cluster.primary.query(`SELECT id FROM "Note" WHERE text = 'no'`, "shop")).toEqual([]);
    await service.close();
  });

  it("C125, C126 lists are estimated by the server that reads them, and indexes are looked for with replicas", {
    timeout: 120_000,
  }, async () => {
    const service = await start("auto", 60_000, direct, { environment: "development" });
    await bothAreUp(service);
    const text = "text of many notes";
    const query = `text=${encodeURIComponent(text)}&limit=1`;
    const meta = async (headers: Record<string, string> = {}) => {
      const list = await fetch(`${service.url}/api/notes?count=estimated&${query}`, { headers });
      expect(list.status).toBe(200);
      return ((await list.json()) as { meta: { total: number; estimated?: boolean } }).meta;
    };
    const add = async (rows: number): Promise<void> => {
      await cluster.primary.query(
        `INSERT INTO "Note" (text) SELECT '${text}' FROM generate_series(1, ${rows}); ANALYZE "Note"`,
        "shop",
      );
    };
    await add(1_000);
    await until(async () => (await meta()).total > 800);
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_pause()")));
    await add(9_000);
    const write = await fetch(`${service.url}/api/notes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text }),
    });
    const token = write.headers.get("consistency-token") ?? "";
    const [old, own] = [await meta(), await meta({ "consistency-token": token })];
    expect([old.estimated, own.estimated]).toEqual([true, true]);
    expect(old.total).toBeLessThan(1_500);
    expect(own.total).toBeGreaterThan(8_000);
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_resume()")));
    await until(async () => (await meta()).total > 8_000);
    await until(() => logged().some(({ index }) => index === "@@index([text])"));
    expect(logged().filter(({ index }) => index !== undefined)).toHaveLength(1);
    await cluster.primary.query('DELETE FROM "Note"', "shop");
    await service.close();
  });

  it("C124 a response that a replica serves has the headers of one of the primary", { timeout: 120_000 }, async () => {
    const service = await start("auto", 60_000, direct, {
      models: { Note: { cache: { maxAge: 60, staleWhileRevalidate: 30, public: true } } },
      cors: { allowedOrigins: ["https://shop.example"] },
    });
    await bothAreUp(service);
    const url = `${service.url}/api/notes`;
    const json = { "content-type": "application/json" };
    const created = await fetch(url, { method: "POST", headers: json, body: JSON.stringify({ text: "before" }) });
    const { data } = (await created.json()) as { data: { id: number } };
    const read = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/${data.id}`, { headers });
      const body = response.status === 200 ? ((await response.json()) as { data: { text: string } }) : undefined;
      const names = ["cache-control", "vary", "set-cookie", "consistency-token"];
      return {
        text: body?.data.text,
        status: response.status,
        etag: response.headers.get("etag") ?? "",
        headers: names.map((name) => response.headers.get(name)),
      };
    };
    await until(async () => (await read()).text === "before");
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_pause()")));
    const changed = await fetch(`${url}/${data.id}`, {
      ...{ method: "PATCH", headers: json, body: JSON.stringify({ text: "after" }) },
    });
    expect(changed.headers.get("cache-control")).toBeNull();
    const token = changed.headers.get("consistency-token") ?? "";
    const fromReplica = await read();
    const fromPrimary = await read({ "consistency-token": token });
    const byCookie = await read({ cookie: `consistency_token=${token}` });
    expect([fromReplica.text, fromPrimary.text, byCookie.text]).toEqual(["before", "after", "after"]);
    const expected = ["public, max-age=60, stale-while-revalidate=30", "Origin, Accept-Encoding", null, null];
    for (const { headers } of [fromReplica, fromPrimary, byCookie]) expect(headers).toEqual(expected);
    // Each server compares with its own state.
    const revalidated = await read({ "if-none-match": fromReplica.etag });
    expect([revalidated.status, revalidated.headers]).toEqual([304, expected]);
    const own = await read({ "if-none-match": fromReplica.etag, "consistency-token": token });
    expect([own.status, own.text]).toEqual([200, "after"]);
    await Promise.all(cluster.replicas.map((replica) => replica.query("SELECT pg_wal_replay_resume()")));
    await fetch(`${url}/${data.id}`, { method: "DELETE" });
    await service.close();
  });

  it("C122 a client that receives an event reads the changed row", { timeout: 120_000 }, async () => {
    const service = await init(
      {
        database: {
          models: recorded.models,
          client: ({ adapter }) => new RecordedClient({ adapter }),
          maxLagMs: 60_000,
        },
        models: { Label: { changes: { events: true } } },
      },
      {
        environment: {
          NODE_ENV: "test",
          DATABASE_URL: cluster.primary.urlOf("orders"),
          DATABASE_REPLICA_URLS: cluster.replicas.map((replica) => replica.urlOf("orders")).join(","),
        },
      },
    );
    await bothAreUp(service);
    const setDelay = (delay: string) =>
      Promise.all(
        cluster.replicas.map(async (replica) => {
          await replica.query(`ALTER SYSTEM SET recovery_min_apply_delay = '${delay}'`);
          await replica.query("SELECT pg_reload_conf()");
        }),
      );
    await setDelay("400ms");
    const url = `${service.url}/api/labels`;
    const reader = await readEvents(`${url}/events`);
    const list = async (): Promise<string[]> => {
      const body = (await (await fetch(`${url}?limit=100`)).json()) as { data: { name: string }[] };
      return body.data.map(({ name }) => name);
    };
    let olderReads = 0;
    for (let count = 1; count <= 5; count++) {
      const name = `label ${count}`;
      const body = JSON.stringify({ name });
      await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!(await list()).includes(name)) olderReads++;
      await reader.take(1);
      expect(await list()).toContain(name);
    }
    expect(olderReads).toBeGreaterThan(0);
    reader.close();
    await setDelay("0");
    await service.close();
  });

  it("C121, C122, C123 serve the own writes of every client, and a failover loses none", {
    timeout: 1_200_000,
  }, async () => {
    const durations: Record<string, number> = {};
    const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const begun = performance.now();
      await work();
      durations[name] = Math.round(performance.now() - begun);
    };
    await Promise.all(["replica 1", "replica 2"].map((name) => allReport(name, "up")));
    const all = Array.from({ length: clients }, (_, index) => new Client(index % 2 === 0 ? "header" : "cookie"));
    let isOver = false;
    const total = () => all.reduce((sum, { done }) => sum + done, 0);
    const load = all.map(async (client) => {
      while (!isOver || total() < requests) await client.step();
    });

    const [one, two] = cluster.replicas as [PostgresCluster["primary"], PostgresCluster["primary"]];
    let scanned: readonly number[] = [];
    const trouble = async (): Promise<void> => {
      await until(() => total() > 100);
      scanned = (await scans()).map((count, index) => count - (before[index] ?? 0));
      await one.query("SELECT pg_wal_replay_pause()");
      await timed("a lagging replica leaves the rotation", () => allReport("replica 1", "down"));
      await one.query("SELECT pg_wal_replay_resume()");
      await timed("a resumed replica comes back", () => allReport("replica 1", "up"));
      await two.crash();
      await timed("a killed replica leaves the rotation", () => allReport("replica 2", "down"));
      await two.start();
      await timed("a restarted replica comes back", () => allReport("replica 2", "up"));
      const writes = all.map(({ confirmed }) => confirmed);
      await timed("the promotion of a replica after the primary was killed", async () => {
        await cluster.primary.crash();
        await cluster.failOver();
      });
      await timed("every client writes again after the promotion", () =>
        until(() => all.every(({ confirmed }, index) => confirmed > (writes[index] ?? 0) + 1)),
      );
      await timed("the other replica follows the new primary", () =>
        vi.waitUntil(
          async () => {
            const checks = await Promise.all(services.map(readiness));
            return checks.every((one) => [one["replica 1"], one["replica 2"]].filter((up) => up === "up").length === 1);
          },
          { timeout: 60_000, interval: 100 },
        ),
      );
    };
    const before = await scans();
    const begun = performance.now();
    await trouble().finally(() => {
      isOver = true;
    });
    await Promise.all(load);
    const seconds = (performance.now() - begun) / 1_000;

    const rows = new Map<number, number>();
    const primary = (
      await Promise.all(
        cluster.replicas.map(async (server) => ({
          server,
          ...(
            await server.query("SELECT pg_is_in_recovery() AS standby")
          )[0],
        })),
      )
    ).find((found) => (found as { standby?: boolean }).standby === false);
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: primary?.server.urlOf("shop") });
    await client.connect();
    for (const { id, text } of (await client.query('SELECT id, text FROM "Note"')).rows) rows.set(id, Number(text));
    await client.end();
    const lost = all.filter(({ id, confirmed }) => id !== undefined && (rows.get(id) ?? 0) < confirmed).length;
    const failures = new Map<string, number>();
    for (const { failures: own } of all)
      for (const [name, count] of own) failures.set(name, (failures.get(name) ?? 0) + count);
    const unexpected = logged().filter(
      ({ level, status, requestId, msg }) =>
        Number(level) >= 50 && status !== 503 && requestId !== undefined && msg !== "request",
    );
    if (unexpected.length > 0) console.error(unexpected.slice(0, 5).map((entry) => JSON.stringify(entry)));
    console.info({
      requests: total(),
      scanned,
      perSecond: Math.round(total() / seconds),
      stale: all.reduce((sum, { stale }) => sum + stale, 0),
      lost,
      failures: Object.fromEntries(failures),
      durations,
    });
    expect(total()).toBeGreaterThanOrEqual(requests);
    expect(all.map(({ stale }) => stale)).toEqual(all.map(() => 0));
    expect(lost).toBe(0);
    expect(Math.min(...scanned)).toBeGreaterThan(0);
    expect(durations["every client writes again after the promotion"]).toBeLessThan(10_000);
    expect([...failures.keys()].filter((name) => !/^write (503|504|no response)$|^read 50[34]$/.test(name))).toEqual(
      [],
    );
  });
});
