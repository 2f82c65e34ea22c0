import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { makeChangeRetention, type RetentionRule, readChangeModel } from "../src/index.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let one: OpenOrders;
let other: OpenOrders;

beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "user:1" }));
  one = await orders.open("auto");
  other = await orders.open("prisma");
});
afterAll(() => orders?.close());
beforeEach(() => one.client.$executeRawUnsafe(`TRUNCATE "Change" RESTART IDENTITY`));

const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);

/** Stores changes of these rows, each of a model, a key and an age in days. */
const store = (rows: readonly (readonly [model: string, key: string, age: number])[]) =>
  one.client.change.createMany({
    data: rows.map(([model, key, age]) => ({ model, key, time: days(age), operation: "update", actor: "system" })),
  });

const stored = async (): Promise<readonly string[]> =>
  (await one.client.change.findMany({ orderBy: { id: "asc" } })).map(({ id, model, key }) => `${id} ${model} ${key}`);

function retention(
  rules: readonly RetentionRule[],
  { neededFrom, of = one }: { readonly neededFrom?: () => Promise<bigint | undefined>; readonly of?: OpenOrders } = {},
) {
  const model = readChangeModel(orders.models);
  if (model === undefined) throw new Error("The schema has the model Change.");
  return makeChangeRetention({ database: of.database, model, rules, pauseMs: 0, ...(neededFrom && { neededFrom }) });
}

describe("C108 the retention of changes", () => {
  it("C108 deletes changes that are older, of the configured models only", async () => {
    await store([
      ["Order", "1", 40],
      ["Order", "1", 29],
      ["Customer", "1", 40],
      ["Order", "2", 31],
      ["Line", "1", 400],
    ]);
    expect(
      await retention([
        { model: "Order", days: 30 },
        { model: "Customer", days: 50 },
      ]).run(),
    ).toBe(2);
    expect(await stored()).toEqual(["2 Order 1", "3 Customer 1", "5 Line 1"]);
  });

  it("C108 keeps the latest changes of each row", async () => {
    await store([
      ...["1", "2", "1", "1", "10", "2", "1"].map((key) => ["Order", key, 1] as const),
      ...["1", "1", "1"].map((key) => ["Customer", key, 1] as const),
    ]);
    expect(await retention([{ model: "Order", perRow: 2 }]).run()).toBe(2);
    expect((await stored()).filter((one) => one.includes("Order"))).toEqual([
      ...["2 Order 2", "4 Order 1", "5 Order 10", "6 Order 2", "7 Order 1"],
    ]);
    expect(await retention([{ model: "Order", perRow: 1, days: 3 }]).run()).toBe(2);
    expect(await stored()).toHaveLength(6);
    expect(await retention([{ model: "Order", perRow: 1, days: 3 }]).run()).toBe(0);
  });

  it("C108 deletes in batches, also of single rows with many changes and of keys of any kind", async () => {
    const keys = ["a", "A", "ä", "a%2Cb", "a,b", " ", "~", "_", "-1", "1", "01", "10"];
    await store([
      ...Array.from({ length: 3_500 }, () => ["Order", "1", 1] as const),
      ...keys.flatMap((key) => Array.from({ length: 300 }, () => ["Order", key, 1] as const)),
      ...Array.from({ length: 3_000 }, () => ["Line", "1", 9] as const),
    ]);
    const done = await retention([
      { model: "Order", perRow: 3 },
      { model: "Line", days: 8 },
    ]).run();
    expect(done).toBe(3_500 + 12 * 300 - 12 * 3 + 3_000);
    const left = await stored();
    for (const key of keys) expect(left.filter((one) => one.endsWith(`Order ${key}`))).toHaveLength(3);
  });

  it("C108 deletes no change that a follower has not read, and none of the last hour", async () => {
    await store([
      ["Order", "1", 9],
      ["Order", "1", 9],
      ["Order", "1", 9],
      ["Order", "1", 9],
      ["Order", "1", 0],
      ["Order", "1", 0],
    ]);
    const rules = [{ model: "Order", days: 1, perRow: 1 }];
    expect(await retention(rules, { neededFrom: async () => 3n }).run()).toBe(2);
    expect(await stored()).toEqual(["3 Order 1", "4 Order 1", "5 Order 1", "6 Order 1"]);
    expect(await retention(rules, { neededFrom: async () => 0n }).run()).toBe(0);
    expect(await retention(rules, { neededFrom: async () => undefined }).run()).toBe(2);
    expect(await stored()).toEqual(["5 Order 1", "6 Order 1"]);
    expect(await retention([{ model: "Order", days: 0.0001 }]).run()).toBe(0);
  });

  it("C108 ends at rows whose changes cannot be deleted", async () => {
    await store([
      ...Array.from({ length: 2_500 }, () => ["Order", "1", 0] as const),
      ...Array.from({ length: 5 }, () => ["Order", "2", 1] as const),
    ]);
    expect(await retention([{ model: "Order", perRow: 2 }]).run()).toBe(3);
  });

  it("C108 runs in one process at a time", async () => {
    await store(Array.from({ length: 2_000 }, () => ["Order", "1", 9] as const));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isRunning = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      isRunning = resolve;
    });
    const neededFrom = async (): Promise<undefined> => {
      isRunning();
      await held;
    };
    const first = retention([{ model: "Order", days: 1 }], { neededFrom }).run();
    await running;
    expect(await retention([{ model: "Order", days: 1 }], { of: other }).run()).toBe(0);
    release();
    expect(await first).toBe(2_000);
  });

  it("C108 ends after the current batch if it is aborted", async () => {
    await store(Array.from({ length: 3_000 }, () => ["Order", "1", 9] as const));
    const ending = new AbortController();
    const neededFrom = async (): Promise<undefined> => {
      ending.abort();
    };
    expect(await retention([{ model: "Order", days: 1 }], { neededFrom }).run(ending.signal)).toBe(1_000);
    expect(await stored()).toHaveLength(2_000);
  });
});
