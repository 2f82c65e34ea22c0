import pg from "pg";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createDatabase } from "../../dev-database/src/index.js";
import { listen } from "../src/postgres/listen.js";

let created: Awaited<ReturnType<typeof createDatabase>>;
let sender: pg.Client;
beforeAll(async () => {
  created = await createDatabase(inject("postgresUrl"));
  sender = new pg.Client({ connectionString: created.url });
  await sender.connect();
});
afterAll(async () => {
  await sender?.end();
  await created?.drop();
});

const poolOf = (settings: pg.PoolConfig = {}) => {
  const pool = new pg.Pool({ connectionString: created.url, max: 1, ...settings });
  pool.on("error", () => undefined);
  return pool;
};

it("C111 receives the payloads of a channel, until it is closed", async () => {
  const received: string[] = [];
  const onEnd = vi.fn();
  const pool = poolOf();
  const close = await listen(pool, 'my "channel"', (payload) => received.push(payload), onEnd);
  await sender.query(`NOTIFY "my ""channel""", 'one'`);
  await sender.query('NOTIFY "my ""channel"""');
  await sender.query(`NOTIFY other, 'two'`);
  await expect.poll(() => received).toEqual(["one", ""]);
  await close();
  await close();
  expect([pool.ended, pool.totalCount]).toEqual([true, 0]);
  expect(onEnd).not.toHaveBeenCalled();
});

it("C111 reports the end of its connection once, and closes the pool", async () => {
  const onEnd = vi.fn();
  const pool = poolOf({ application_name: "listener" });
  const close = await listen(pool, "changes", () => undefined, onEnd);
  await sender.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener'");
  await expect.poll(() => onEnd.mock.calls.length).toBe(1);
  await close();
  expect(pool.ended).toBe(true);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it("C111 closes the pool if it cannot connect, or cannot listen", async () => {
  const unreachable = poolOf({ connectionString: "postgresql://127.0.0.1:1/none" });
  await expect(
    listen(
      unreachable,
      "a",
      () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow("ECONNREFUSED");
  expect(unreachable.ended).toBe(true);
  const pool = poolOf();
  await expect(
    listen(
      pool,
      "",
      () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow("zero-length");
  expect(pool.ended).toBe(true);
});
