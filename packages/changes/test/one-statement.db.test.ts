import type { Clause, Database, Delegate } from "@servicekit/prisma";
import { storedFields, writeKey } from "@servicekit/prisma/internal";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { kindValues as values } from "./kind-values.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let database: Database;
/** Each write is several statements there. */
let byPrisma: Database;
let client: OpenOrders["client"];
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "user:1" }));
  ({ database } = await orders.open("auto"));
  ({ database: byPrisma, client } = await orders.open("prisma"));
});
afterAll(() => orders?.close());

/** The states of a row that changes of each kind of write contain, without its id. */
async function statesOf(key: unknown): Promise<readonly unknown[]> {
  const rows = await database.of("Change").findMany({
    where: { model: "Kind", key: String(key) },
    orderBy: [{ id: "asc" }],
    select: { before: true, after: true },
  });
  return rows.flatMap(({ before, after }) => [before, after]).map((state) => state && { ...(state as object), id: 0 });
}

const all = Object.freeze({ id: true });

/** Creates, updates and deletes a row, and returns the states of its changes. */
async function statesOfWrites(of: Database, data: Clause): Promise<readonly unknown[]> {
  const rows = of.of("Kind");
  const { id } = await rows.create({ data, select: all });
  await rows.update({ where: { id: id as bigint }, data: { text: "changed", flag: true }, select: all });
  await rows.delete({ where: { id: id as bigint }, select: all });
  return statesOf(id);
}

/** The same by writes of many rows. */
async function statesOfBulkWrites(of: Database, data: Clause): Promise<readonly unknown[]> {
  const rows = of.of("Kind");
  const [one, other] = await rows.createMany({ data: [data, data], select: all });
  const change = { text: "changed", flag: true };
  await rows.updateEach({ changes: [{ where: { id: one?.id }, data: change }], select: all });
  await rows.updateMany({ where: { id: { in: [other?.id] } }, data: change, select: all });
  expect(await rows.deleteMany({ where: { id: { in: [one?.id, other?.id] } } })).toBe(2);
  const states = await statesOf(one?.id);
  expect(await statesOf(other?.id)).toEqual(states);
  return states;
}

/** What a write in one statement is called with. */
function entryOf(name: string): Parameters<Delegate["executeRecorded"]>[1] {
  const [changes, model] = ["Change", name].map((one) => orders.models.get(one));
  if (changes === undefined || model === undefined) throw new Error(`The schema has the models Change and ${name}.`);
  return { changes, data: { model: name, actor: "system" }, fields: storedFields(model) };
}

describe("C106 a write by SQL", () => {
  it.each(values)("C106 stores the same states as Prisma Client: %s", async (_, data) => {
    const states = await statesOfWrites(byPrisma, data);
    expect(states).toHaveLength(6);
    expect(await statesOfWrites(database, data)).toEqual(states);
    expect(await statesOfBulkWrites(database, data)).toEqual(states);
  });

  it("C106 of one row is one statement with its change", async () => {
    const rows = database.of("Kind");
    const entry = entryOf("Kind");
    const created = await rows.executeRecorded(
      { operation: "create", args: { data: { text: "a" }, select: all } },
      entry,
    );
    const { id } = (created as { rows: { id: bigint }[] }).rows[0] ?? { id: 0n };
    for (const text of ["b", "c"])
      await rows.executeRecorded({ operation: "update", args: { where: { id }, data: { text }, select: all } }, entry);
    await rows.executeRecorded({ operation: "delete", args: { where: { id }, select: all } }, entry);
    expect(textsOf(await statesOf(id))).toEqual([null, "a", "a", "b", "b", "c", "c", null]);
    await expect(
      rows.executeRecorded({ operation: "update", args: { where: { id }, data: { text: "d" }, select: all } }, entry),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("C106 of many rows is one statement with their changes, in the order of the rows", async () => {
    const rows = database.of("Kind");
    const entry = entryOf("Kind");
    const texts = ["d", "a", "c", "b"];
    const data = texts.map((text) => ({ text }));
    const created = await rows.executeRecorded({ operation: "createMany", args: { data, select: all } }, entry);
    const ids = (created as { rows: { id: bigint }[] }).rows.map(({ id }) => id);
    const changes = ids.toReversed().map((id, index) => ({ where: { id }, data: { text: `each ${index}` } }));
    await rows.executeRecorded({ operation: "updateEach", args: { changes, select: all } }, entry);
    const where = { id: { in: ids }, text: { contains: "each" } };
    await rows.executeRecorded({ operation: "updateMany", args: { where, data: { text: "all" }, select: all } }, entry);
    const deleted = await rows.executeRecorded(
      { operation: "deleteMany", args: { where: { id: { in: ids } } } },
      entry,
    );
    expect(deleted).toMatchObject({ total: 4 });
    for (const [index, id] of ids.entries())
      expect(textsOf(await statesOf(id))).toEqual([
        ...[null, texts[index], texts[index], `each ${3 - index}`, `each ${3 - index}`, "all", "all", null],
      ]);
    const stored = await changesOf(ids.map(String));
    expect(stored.slice(0, 4).map(({ key }) => key)).toEqual(ids.map(String));
    expect(stored.slice(4, 8).map(({ key }) => key)).toEqual(ids.map(String).toReversed());
    expect(stored.map(({ operation }) => operation)).toEqual([
      ...Array.from({ length: 4 }, () => "create"),
      ...Array.from({ length: 8 }, () => "update"),
      ...Array.from({ length: 4 }, () => "delete"),
    ]);
  });

  it("C106 stores nothing for an update of many rows of which one is missing", async () => {
    const rows = database.of("Kind");
    const { id } = await rows.create({ data: { text: "a" }, select: all });
    const changes = [id, 2n ** 40n].map((key) => ({ where: { id: key }, data: { text: "b" } }));
    await expect(rows.updateEach({ changes, select: all })).rejects.toMatchObject({ status: 404 });
    expect(textsOf(await statesOf(id))).toEqual([null, "a"]);
  });

  it("C106 stores the state that a concurrent transaction has left of each row", async () => {
    const rows = database.of("Kind");
    const created = await rows.createMany({ data: [{ text: "a" }, { text: "a" }, { text: "a" }], select: all });
    const [each, matching, removed] = created.map((row) => row.id as bigint) as [bigint, bigint, bigint];
    let waiting: Promise<unknown> = Promise.resolve();
    await database.transaction(async (inside) => {
      for (const id of [each, matching, removed])
        await inside.of("Kind").update({ where: { id }, data: { text: "b" }, select: all });
      const changes = [{ where: { id: each }, data: { text: "c" } }];
      waiting = Promise.all([
        rows.updateEach({ changes, select: all }),
        rows.updateMany({ where: { id: { in: [matching] } }, data: { text: "c" }, select: all }),
        rows.deleteMany({ where: { id: { in: [removed] } } }),
      ]);
      waiting.catch(() => undefined);
      await waitForLocks(3);
    });
    await waiting;
    expect(textsOf(await statesOf(each))).toEqual([null, "a", "a", "b", "b", "c"]);
    expect(textsOf(await statesOf(matching))).toEqual([null, "a", "a", "b", "b", "c"]);
    expect(textsOf(await statesOf(removed))).toEqual([null, "a", "a", "b", "b", null]);
  });

  it.each(["updateMany", "deleteMany"] as const)("C106 rejects a %s of every row by mistake", async (operation) => {
    const rows = database.of("Line");
    const write = {
      updateMany: () => rows.updateMany({ where: {}, data: { text: "a" } }),
      deleteMany: () => rows.deleteMany({ where: {} }),
    };
    await expect(write[operation]()).rejects.toThrow("This where matches every row.");
  });

  it("C7, C106 stores keys of texts as they are in paths", async () => {
    const payment = orders.models.get("Payment");
    if (payment === undefined) throw new Error("The schema has the model Payment.");
    const ids = [
      "plain-text_1.~!*'()",
      'a/b c,d%\n"\\',
      "\u00e9\u20ac\u{1f600}\u{10ffff}",
      "many",
      "MaNy",
      "manyfold",
      "",
    ];
    const rows = database.of("Payment");
    const data = ids.map((id) => ({ id }));
    const args = { data, select: { id: true, orderId: true } };
    expect(await rows.executeRecorded({ operation: "createMany", args }, entryOf("Payment"))).toMatchObject({
      rows: data,
    });
    const stored = await database.of("Change").findMany({
      where: { model: "Payment" },
      orderBy: [{ id: "asc" }],
      select: { key: true },
    });
    expect(stored.map(({ key }) => key)).toEqual(ids.map((id) => writeKey(payment, { id })));
  });
});

const textsOf = (states: readonly unknown[]): readonly unknown[] =>
  states.map((state) => state && (state as { text: unknown }).text);

/** All changes of rows of the model `Kind`. */
const changesOf = (keys: readonly string[]) =>
  database.of("Change").findMany({
    where: { model: "Kind", key: { in: keys } },
    orderBy: [{ id: "asc" }],
    select: { key: true, operation: true },
  });

/** Waits until a number of statements wait for the locks of others. */
async function waitForLocks(count: number): Promise<void> {
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await vi.waitUntil(
    async () => {
      const [row] = (await client.$queryRawUnsafe(sql)) as readonly { readonly count: number }[];
      return (row?.count ?? 0) >= count;
    },
    { timeout: 60_000 },
  );
}
