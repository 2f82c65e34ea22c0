import { randomUUID } from "node:crypto";
import type { Clause, Database } from "@servicekit/prisma";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let database: Database;
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => ({ actor: "user:1" }));
  ({ database } = await orders.open("auto"));
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

const values: readonly (readonly [string, Clause])[] = [
  ["nothing", {}],
  ["texts", { text: 'a "quoted" \\ text\n\u0001 \u{1f600}', padded: "ab", uuid: randomUUID(), address: "10.0.0.1/24" }],
  ["an empty text", { text: "", padded: "" }],
  ["numbers", { small: -32768, float: 0.1, decimal: "1.50", places: "12345678901.5", flag: false }],
  ["large numbers", { float: 1.7976931348623157e308, decimal: "12345678901234567890.123456789", flag: true }],
  ["small numbers", { float: 5e-324, decimal: "0.000000001", places: "-0.001" }],
  ["dates", { at: new Date("2026-02-03T04:05:06.007Z"), precise: new Date(0), day: new Date("2024-02-29") }],
  ["early dates", { at: new Date("0101-01-01T00:00:00Z"), day: new Date("0999-12-31") }],
  ["a list", { texts: ["a", "b,c", '"'], numbers: [1, -1], flags: [true, false] }],
  ["empty lists", { texts: [], numbers: [], flags: [] }],
  ["JSON", { data: { b: [1, null, "x", { c: 1e30 }], a: "\\u00e9" } }],
  ["bytes", { bytes: new Uint8Array(200).map((_, index) => index) }],
  ["an enum with another name in the database", { status: "PAID" }],
];

describe("C106 a write of one row by SQL", () => {
  it.each(values)("C106 stores the same states as a bulk write: %s", async (_, data) => {
    const rows = database.of("Kind");
    const all = Object.freeze({ id: true });
    const entry = { operation: "create", args: { data, select: all } } as const;
    const [one] = ((await rows.execute(entry)) as { rows: { id: bigint }[] }).rows;
    const [other] = await rows.createMany({ data: [data], select: all });
    if (one === undefined || other === undefined) throw new Error("Both are created.");
    const change = { text: "changed", flag: true };
    await rows.update({ where: { id: one.id }, data: change, select: all });
    await rows.updateEach({ changes: [{ where: { id: other.id }, data: change }], select: all });
    await rows.delete({ where: { id: one.id }, select: all });
    await rows.deleteMany({ where: { id: other.id } });
    const states = await statesOf(one.id);
    expect(states).toHaveLength(6);
    expect(states).toEqual(await statesOf(other.id));
  });

  it("C106 is one statement with its change", async () => {
    const rows = database.of("Kind");
    const changes = orders.models.get("Change");
    if (changes === undefined) throw new Error("The schema has the model Change.");
    const fields = [...(orders.models.get("Kind")?.fieldsByName.keys() ?? [])];
    const entry = { changes, data: { model: "Kind", actor: "system" }, fields };
    const select = Object.freeze({ id: true });
    const created = await rows.executeRecorded({ operation: "create", args: { data: { text: "a" }, select } }, entry);
    const { id } = (created as { rows: { id: bigint }[] }).rows[0] ?? { id: 0n };
    for (const text of ["b", "c"])
      await rows.executeRecorded({ operation: "update", args: { where: { id }, data: { text }, select } }, entry);
    await rows.executeRecorded({ operation: "delete", args: { where: { id }, select } }, entry);
    expect((await statesOf(id)).map((state) => state && (state as { text: unknown }).text)).toEqual([
      ...[null, "a", "a", "b", "b", "c", "c", null],
    ]);
    await expect(
      rows.executeRecorded({ operation: "update", args: { where: { id }, data: { text: "d" }, select } }, entry),
    ).rejects.toMatchObject({ status: 404 });
  });
});
