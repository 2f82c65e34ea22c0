import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import type { Change } from "../src/index.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let open: OpenOrders;
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "system" }));
  open = await orders.open("auto", { poolSize: 24 });
});
afterAll(() => orders?.close());

it("C106 a reader receives every committed change once, and those of a row in order, while 20 clients write in long transactions", async () => {
  const { database } = open;
  const reader = open.reader();
  const customers = await database.of("Customer").createMany({
    data: ["a", "b", "c", "d", "e"].map((name) => ({ name })),
    select: { id: true },
  });
  const received: Change[] = [];
  let expected: number | undefined;
  const follow = async (): Promise<void> => {
    while (expected === undefined || received.length < expected)
      received.push(...(await reader.read(received.at(-1)?.id ?? 0n, 7)));
  };
  const following = follow();
  let committed = 0;
  const writer = async (name: number): Promise<void> => {
    for (let round = 0; round < 6; round++) {
      const isKept = randomInt(4) > 0;
      // A new customer first: its transaction has an id long before it changes the others.
      const work = database.transaction(
        async (inside) => {
          const own = await inside.of("Customer").create({ data: { name: `${name}.${round}` }, select: { id: true } });
          for (let pause = randomInt(8); pause > 0; pause--) await inside.of("Customer").count({});
          const { id } = customers[randomInt(customers.length)] as { id: number };
          await inside.of("Customer").update({ where: { id }, data: { name: `${own.id}` }, select: { id: true } });
          for (let pause = randomInt(8); pause > 0; pause--) await inside.of("Customer").count({});
          if (!isKept) throw new Error("rolled back");
        },
        { timeoutMs: 120_000 },
      );
      await work.then(
        () => (committed += 2),
        (error: Error) => expect(error.message).toBe("rolled back"),
      );
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, name) => writer(name)));
  const stored = await database.of("Change").findMany({ orderBy: [{ id: "asc" }], select: { id: true } });
  expect(stored).toHaveLength(committed + customers.length);
  expected = stored.length;
  await following;
  expect(received.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  for (const { id } of customers) {
    const states = received.filter(({ key }) => key === String(id));
    for (const [index, { before }] of states.slice(1).entries()) expect(before).toEqual(states[index]?.after);
  }
});

it("C106 a reader waits for a transaction that may still add earlier changes", async () => {
  const { database } = open;
  const reader = open.reader();
  const start = (await database.of("Change").findMany({ orderBy: [{ id: "desc" }], take: 1, select: { id: true } }))[0];
  const after = (start?.id ?? 0n) as bigint;
  await database.transaction(async (inside) => {
    await inside.of("Customer").create({ data: { name: "first" }, select: { id: true } });
    await database.of("Customer").create({ data: { name: "second" }, select: { id: true } });
    expect(await reader.read(after, 10)).toEqual([]);
  });
  // Transactions of other databases of the same server delay it too.
  const found = await vi.waitUntil(async () => {
    const read = await reader.read(after, 10);
    return read.length > 0 && read;
  }, 60_000);
  expect(found.map((change) => change.after?.name)).toEqual(["first", "second"]);
  expect(await reader.read(found.at(-1)?.id ?? 0n, 10)).toEqual([]);
});

it("C149 a reader looks at no change of an open transaction, however many there are, and continues after its rollback", async () => {
  const { database } = open;
  const reader = open.reader();
  const end = async () => vi.waitUntil(() => reader.end(), 60_000);
  const after = (await end()) as bigint;
  const rollback = database.transaction(async (inside) => {
    await inside.of("Customer").createMany({
      data: Array.from({ length: 500 }, (_, at) => ({ name: `open ${at}` })),
      select: { id: true },
    });
    expect(await reader.read(after, 10)).toEqual([]);
    expect(reader.isWaiting()).toBe(true);
    throw new Error("rolled back");
  });
  await expect(rollback).rejects.toThrow("rolled back");
  await vi.waitUntil(async () => (await reader.read(after, 10)).length === 0 && !reader.isWaiting(), 60_000);
  expect(await end()).toBe(after);
  await database.of("Customer").create({ data: { name: "later" }, select: { id: true } });
  const found = await vi.waitUntil(async () => {
    const read = await reader.read(after, 10);
    return read.length > 0 && read;
  }, 60_000);
  expect(found.map((change) => change.after?.name)).toEqual(["later"]);
});

it("C149 a reader continues when the ids of the log start again", async () => {
  const { database } = open;
  const reader = open.reader();
  await database.of("Customer").create({ data: { name: "before" }, select: { id: true } });
  await vi.waitUntil(async () => (await reader.read(0n, 1_000)).length > 0, 60_000);
  await open.client.$executeRawUnsafe('TRUNCATE "Change" RESTART IDENTITY');
  await database.of("Customer").create({ data: { name: "first" }, select: { id: true } });
  const found = await vi.waitUntil(async () => {
    const read = await reader.read(0n, 10);
    return read.length > 0 && read;
  }, 60_000);
  expect(found.map(({ id, after }) => [id, after?.name])).toEqual([[1n, "first"]]);
  expect(await vi.waitUntil(() => reader.end(), 60_000)).toBe(1n);
});

it.each<readonly [string, () => Promise<unknown>]>([
  ["a negative id", () => open.reader().read(-1n, 1)],
  ["an id out of range", () => open.reader().read(2n ** 63n, 1)],
  ["an id that is not a bigint", () => open.reader().read("0; DROP TABLE x" as unknown as bigint, 1)],
  ["no limit", () => open.reader().read(0n, 0)],
])("C106 a reader rejects %s", async (_, read) => {
  await expect(read()).rejects.toThrow(TypeError);
});
