import net from "node:net";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { makePostgresPool, type PostgresPoolSettings } from "../src/postgres/index.js";

const url = inject("postgresUrl");
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function open(settings: Partial<PostgresPoolSettings> = {}) {
  const pool = makePostgresPool({ url, poolWaitMs: 120_000, ...settings });
  opened.push(() => pool.end());
  return pool;
}

/** A proxy of the server; `stall` makes it pass nothing on any more, and `resume` serves new connections again. */
async function startProxy() {
  const { hostname, port } = new URL(url);
  let isStalled = false;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    const target = net.connect(Number(port), hostname);
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.on("data", (chunk) => {
        if (!isStalled) to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const proxied = new URL(url);
  proxied.host = address;
  return {
    url: proxied.href,
    address,
    stall: () => {
      isStalled = true;
    },
  };
}

describe("C123 a pool for SQL of others", () => {
  it("returns typed values of one statement, and a list of results of several", async () => {
    const pool = open({ applicationName: "a queue" });
    const { rows } = (await pool.query(
      "SELECT $1::int AS number, now() AS at, current_setting('application_name') AS name",
      [2],
    )) as { rows: unknown[] };
    expect(rows).toEqual([{ number: 2, at: expect.any(Date), name: "a queue" }]);
    expect(await pool.query("BEGIN; SELECT 1 AS one; COMMIT")).toMatchObject([{}, { rows: [{ one: 1 }] }, {}]);
    await pool.end();
    await pool.end();
  });

  it("runs a statement for as long as its server responds", async () => {
    const pool = open({ stallMs: 20 });
    expect(await pool.query("SELECT 'done' AS state FROM pg_sleep(0.4)")).toMatchObject({ rows: [{ state: "done" }] });
  });

  it("fails a statement whose server does not respond to a new connection", async () => {
    const proxy = await startProxy();
    const pool = open({ url: proxy.url, stallMs: 20, poolWaitMs: 300 });
    await pool.query("SELECT 1");
    proxy.stall();
    await expect(pool.query("SELECT 1")).rejects.toThrow("Query read timeout");
  });

  it("continues on another host when its server does not respond any more", async () => {
    const proxy = await startProxy();
    const { host } = new URL(url);
    const pool = open({
      url: proxy.url.replace(proxy.address, `${proxy.address},${host}`),
      stallMs: 20,
      poolWaitMs: 500,
    });
    await pool.query("SELECT 1");
    proxy.stall();
    await vi.waitUntil(
      () =>
        pool.query("SELECT 1").then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    );
  });

  it("replaces its connections when their server becomes read-only, and ignores hosts that do not accept writes", async () => {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const name = `pool_${process.pid}`;
    await client.query(`CREATE ROLE ${name} LOGIN SUPERUSER`);
    try {
      const own = new URL(url);
      own.username = name;
      const pool = open({
        url: `${own.href}${own.search === "" ? "?" : "&"}target_session_attrs=read-write`,
        poolWaitMs: 500,
      });
      await pool.query("CREATE TEMP TABLE own (id int)");
      await client.query(`ALTER ROLE ${name} SET default_transaction_read_only = on`);
      await pool.query("SET default_transaction_read_only = on");
      await expect(pool.query("CREATE TABLE never (id int)")).rejects.toMatchObject({ code: "25006" });
      await expect(pool.query("SELECT 1")).rejects.toThrow("no host of the connection string accepts writes");
      await client.query(`ALTER ROLE ${name} RESET ALL`);
      await pool.query("SELECT 1");
      await pool.end();
    } finally {
      await client.query(`DROP ROLE ${name}`);
      await client.end();
    }
  });
});
