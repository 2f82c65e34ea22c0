import { type Database } from "@servicekit/prisma";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { hasPgBouncer, startPgBouncer } from "../../../scripts/test/pgbouncer.js";
import { type ChangeSignal, type ChangeSignalTimes, makeChangeSignal } from "../src/index.js";
import { type OpenOptions, type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let watcher: OpenOrders;
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "system" }));
  watcher = await orders.open("auto");
});
afterAll(() => orders?.close());

/** Only for tests that fail: a busy machine never reaches it. */
const patience = 120_000;
/** Polling that no test waits for. */
const rare = { poll: 10 * patience, idlePoll: 10 * patience, test: patience };

const signals: ChangeSignal[] = [];
afterEach(async () => {
  await Promise.all(signals.splice(0).map((signal) => signal.close()));
});

/** A process with a signal of its own. */
async function open(times: Partial<ChangeSignalTimes> = rare, options: OpenOptions = {}) {
  let signal: ChangeSignal | undefined;
  const opened: OpenOrders = await orders.open("auto", { ...options, onCommit: () => signal?.committed() });
  const warnings: string[] = [];
  const { client, connections, database } = opened;
  signal = makeChangeSignal({ client, connections, warn: (message) => warnings.push(message), times });
  signals.push(signal);
  return { database, signal, warnings, client };
}

const create = (database: Database) => database.of("Customer").create({ data: { name: "Ann" }, select: { id: true } });

/** The sessions that listen to the channel of changes. */
async function listeners(): Promise<readonly string[]> {
  const rows = (await watcher.client.$queryRawUnsafe(
    `SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'`,
  )) as readonly { readonly pid: string }[];
  return rows.map(({ pid }) => pid);
}

it.each(["auto", "prisma"] as const)(
  "C111 a signal follows each commit of the same process, and no rolled back transaction, with the engine %s",
  async (engine) => {
    let commits = 0;
    const { database } = await orders.open(engine, { onCommit: () => commits++ });
    const { id } = await create(database);
    expect(commits).toBe(1);
    await database.of("Customer").update({ where: { id }, data: { name: "Bob" } });
    await database
      .of("Customer")
      .updateMany({ where: { id: id as number }, data: { name: "Eve" }, select: { id: true } });
    expect(commits).toBe(3);
    await database.transaction(async (inside) => {
      await create(inside);
      await create(inside);
      expect(commits).toBe(3);
    });
    expect(commits).toBe(4);
    await expect(
      database.transaction(async (inside) => {
        await create(inside);
        throw new Error("rolled back");
      }),
    ).rejects.toThrow("rolled back");
    await database.of("Customer").updateMany({ where: { id: -1 }, data: { name: "Eve" }, select: { id: true } });
    await database.of("Customer").findMany({});
    expect(commits).toBe(4);
    await database.of("Customer").delete({ where: { id } });
    expect(commits).toBe(5);
  },
);

it("C111 a signal wakes the listeners of its own process in the tick of the commit, until they are removed", async () => {
  const { database, signal } = await open();
  let calls = 0;
  const remove = signal.onSignal(() => calls++);
  await create(database);
  expect(calls).toBeGreaterThan(0);
  remove();
  remove();
  const before = calls;
  await create(database);
  expect(calls).toBe(before);
});

it("C111 a signal wakes listeners of other processes, and combines the notifications of many commits", async () => {
  const writer = await open({ ...rare, notify: 1_000 });
  const reader = await open();
  let calls = 0;
  reader.signal.onSignal(() => calls++);
  // Called when notifications arrive.
  await vi.waitUntil(() => calls > 0, patience);
  const before = calls;
  for (let n = 0; n < 50; n++) await create(writer.database);
  await vi.waitUntil(() => calls > before, patience);
  await writer.signal.close();
  expect(calls - before).toBeLessThan(25);
});

it("C111 a signal that is closed sends its pending notification", async () => {
  const writer = await open({ ...rare, notify: 10 * patience });
  const reader = await open();
  let calls = 0;
  reader.signal.onSignal(() => calls++);
  await vi.waitUntil(() => calls > 0, patience);
  await create(writer.database);
  await vi.waitUntil(() => calls > 1, patience);
  const before = calls;
  await create(writer.database);
  expect(calls).toBe(before);
  await writer.signal.close();
  await vi.waitUntil(() => calls > before, patience);
  await create(writer.database);
});

it("C111 a signal connects for notifications while it has listeners, and again after the connection is lost", async () => {
  const { signal } = await open({ ...rare, poll: 50 });
  expect(await listeners()).toEqual([]);
  let calls = 0;
  const remove = signal.onSignal(() => calls++);
  const [first] = await vi.waitUntil(async () => {
    const found = await listeners();
    return found.length === 1 && found;
  }, patience);
  await watcher.client.$queryRawUnsafe(`SELECT pg_terminate_backend(${first})::text`);
  await vi.waitUntil(async () => {
    const found = await listeners();
    return found.length === 1 && found[0] !== first;
  }, patience);
  const other = await open();
  const before = calls;
  await create(other.database);
  await vi.waitUntil(() => calls > before, patience);
  remove();
  await vi.waitUntil(async () => (await listeners()).length === 0, patience);
});

it("C111 a signal without an adapter polls", async () => {
  const { client } = watcher;
  const signal = makeChangeSignal({ client, warn: () => undefined, times: { poll: 5 } });
  signals.push(signal);
  let calls = 0;
  signal.onSignal(() => calls++);
  await vi.waitUntil(() => calls > 2, patience);
});

describe.skipIf(!hasPgBouncer())("through PgBouncer", () => {
  it.each([
    ["transaction", true],
    ["session", false],
  ] as const)("C111 a signal through PgBouncer by %s polls and warns once: %s", async (mode, isPolling) => {
    const bouncer = await startPgBouncer(orders.url, { mode, size: 10 });
    try {
      const url = bouncer.urlOf(orders.url);
      const times = isPolling ? { poll: 20, idlePoll: 10 * patience, test: 2_000 } : rare;
      const { signal, warnings } = await open(times, { url });
      let calls = 0;
      signal.onSignal(() => calls++);
      if (isPolling) {
        await vi.waitUntil(() => warnings.length > 0, patience);
        expect(warnings).toEqual([expect.stringMatching(/PgBouncer with pool_mode = transaction/)]);
        const before = calls;
        await vi.waitUntil(() => calls > before + 2, patience);
        expect(warnings).toHaveLength(1);
      } else {
        await vi.waitUntil(() => calls > 0, patience);
        const before = calls;
        const writer = await open(rare, { url });
        await create(writer.database);
        await vi.waitUntil(() => calls > before, patience);
        expect(warnings).toEqual([]);
      }
    } finally {
      await Promise.all(signals.splice(0).map((signal) => signal.close()));
      await bouncer.stop();
    }
  });
});
