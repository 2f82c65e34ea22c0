import type { Database } from "@servicekit/prisma";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Change, ChangeOrigin } from "../src/index.js";
import { type OpenOrders, type Orders, openOrders } from "./open-orders.js";

let orders: Orders;
let origin: ChangeOrigin = { actor: "system" };
const engines = ["auto", "prisma"] as const;
const opened = new Map<string, OpenOrders>();
beforeAll(async () => {
  orders = await openOrders(inject("postgresUrl"), () => origin);
  for (const engine of engines) opened.set(engine, await orders.open(engine));
});
afterAll(() => orders?.close());

describe.each(engines)("C106 the change log with the engine %s", (engine) => {
  let database: Database;
  let last = 0n;
  let customer: number;
  beforeEach(async () => {
    const open = opened.get(engine);
    if (open === undefined) throw new Error("It is open.");
    ({ database } = open);
    origin = { actor: "system" };
    customer = (await database.of("Customer").create({ data: { name: "Ann" } })).id as number;
    await changes();
  });
  /** The changes since the last call. */
  async function stored(): Promise<readonly Change[]> {
    const rows = await database.of("Change").findMany({ where: { id: { gt: last } }, orderBy: [{ id: "asc" }] });
    last = (rows.at(-1)?.id as bigint | undefined) ?? last;
    return rows as unknown as readonly Change[];
  }
  async function changes() {
    const found = await stored();
    return found.map(({ model, key, operation, before, after }) => ({ model, key, operation, before, after }));
  }
  const newOrder = async (more: object = {}): Promise<number> => {
    const row = await database.of("Order").create({ data: { customerId: customer, ...more }, select: { id: true } });
    return row.id as number;
  };

  it("C106 stores a created row in the form of a response, and who created it", async () => {
    origin = { actor: "user:7", requestId: "r-1", traceId: "0af7651916cd43dd8448eb211c80319c" };
    const row = await database.of("Order").create({
      data: { customerId: customer, status: "PAID", total: "12.5", notes: { a: [1] }, tags: ["x"] },
      select: { total: true },
    });
    expect(Object.keys(row)).toEqual(["total"]);
    const [found, ...more] = await stored();
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      ...{ model: "Order", operation: "create", before: null, ...origin },
      after: {
        ...{ status: "PAID", total: "12.50", weight: "9007199254740993", notes: { a: [1] }, tags: ["x"] },
        ...{ customerId: customer, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      },
    });
    expect(found?.key).toBe(String(found?.after?.id));
    expect(found?.transaction).toBeTypeOf("bigint");
  });

  it("C106 never stores a hidden field", async () => {
    await database.of("Customer").create({ data: { name: "Eve", secret: "of Eve" } });
    await database.of("Customer").update({ where: { id: customer }, data: { secret: "other" } });
    const found = await changes();
    expect(found.map(({ after }) => Object.keys(after ?? {}))).toEqual([
      ["id", "name"],
      ["id", "name"],
    ]);
    expect(JSON.stringify(found)).not.toMatch(/secret|of Eve|other/);
  });

  it("C106 stores both states of an updated row", async () => {
    const id = await newOrder();
    await changes();
    const row = await database.of("Order").update({ where: { id }, data: { total: "3" }, select: { id: true } });
    expect(row).toEqual({ id });
    expect(await changes()).toEqual([
      {
        ...{ model: "Order", key: String(id), operation: "update" },
        before: expect.objectContaining({ total: "0.00" }),
        after: expect.objectContaining({ total: "3.00" }),
      },
    ]);
  });

  it("C106 stores the last state of a deleted row and of the rows that the database deletes with it", async () => {
    const id = await newOrder();
    for (const position of [1, 2])
      await database.of("Line").create({ data: { orderId: id, position, text: `line ${position}` } });
    const payment = await database.of("Payment").create({ data: { orderId: id }, select: { id: true } });
    await changes();
    await database.of("Customer").delete({ where: { id: customer }, select: { id: true } });
    const found = await changes();
    expect(found.map(({ model, key, operation }) => `${operation} ${model} ${key}`).sort()).toEqual(
      [
        `delete Customer ${customer}`,
        `delete Order ${id}`,
        `delete Line ${id},1`,
        `delete Line ${id},2`,
        `update Payment ${payment.id}`,
      ].sort(),
    );
    expect(found.find(({ model }) => model === "Line")).toMatchObject({ before: { text: "line 1" }, after: null });
    expect(found.find(({ model }) => model === "Payment")).toMatchObject({
      before: { orderId: id },
      after: { orderId: null },
    });
  });

  it.each(["delete", "deleteMany"] as const)(
    "C106 stores the rows that the database changes because an unrecorded row is deleted by %s",
    async (method) => {
      const { database: partly } = await orders.open(engine, { recorded: ["Line", "Payment"] });
      const id = await newOrder();
      await database.of("Line").create({ data: { orderId: id, position: 1, text: "line 1" } });
      const payment = await database.of("Payment").create({ data: { orderId: id }, select: { id: true } });
      await changes();
      const where = { id: customer };
      if (method === "delete") await partly.of("Customer").delete({ where, select: { id: true } });
      else expect(await partly.of("Customer").deleteMany({ where })).toBe(1);
      const found = await changes();
      expect(found.map(({ model, key, operation }) => `${operation} ${model} ${key}`).sort()).toEqual(
        [`delete Line ${id},1`, `update Payment ${payment.id}`].sort(),
      );
      const missing = partly.of("Customer").delete({ where, select: { id: true } });
      await expect(missing).rejects.toMatchObject({ status: 404 });
      expect(await partly.of("Customer").deleteMany({ where })).toBe(0);
    },
  );

  it("C106 stores one deletion of each row, also of rows that reference each other", async () => {
    const areas = database.of("Area");
    const add = async (parentId: number | null): Promise<number> =>
      (await areas.create({ data: { parentId }, select: { id: true } })).id as number;
    const first = await add(null);
    const second = await add(first);
    await areas.update({ where: { id: first }, data: { parentId: second }, select: { id: true } });
    const parent = await add(null);
    const child = await add(parent);
    const self = await add(null);
    await areas.update({ where: { id: self }, data: { parentId: self }, select: { id: true } });
    await changes();
    const deletions = async () => (await changes()).map(({ key, operation }) => `${operation} ${key}`).toSorted();
    await areas.delete({ where: { id: first }, select: { id: true } });
    expect(await deletions()).toEqual([`delete ${first}`, `delete ${second}`]);
    await areas.deleteMany({ where: { id: { in: [parent, child] } } });
    expect(await deletions()).toEqual([`delete ${parent}`, `delete ${child}`]);
    await areas.delete({ where: { id: self }, select: { id: true } });
    expect(await deletions()).toEqual([`delete ${self}`]);
  });

  it("C106 stores a change for each row of a bulk write", async () => {
    const made = await database.of("Order").createMany({
      data: [1, 2, 3].map((total) => ({ customerId: customer, total })),
      select: { id: true },
    });
    expect(made.every((row) => Object.keys(row).join() === "id")).toBe(true);
    expect((await changes()).map(({ operation, after }) => [operation, after?.total])).toEqual([
      ["create", "1.00"],
      ["create", "2.00"],
      ["create", "3.00"],
    ]);
    const rows = database.of("Order");
    const ids = made.map(({ id }) => id as number);
    await rows.updateEach({
      changes: [...ids].reverse().map((id, index) => ({ where: { id }, data: { total: 10 + index } })),
      select: { id: true },
    });
    expect((await changes()).map(({ key, before, after }) => [Number(key), before?.total, after?.total])).toEqual([
      [ids[2], "3.00", "10.00"],
      [ids[1], "2.00", "11.00"],
      [ids[0], "1.00", "12.00"],
    ]);
    await rows.updateMany({ where: { customerId: customer, total: { gt: 10 } }, data: { status: "PAID" } });
    expect((await changes()).map(({ before, after }) => [before?.status, after?.status])).toEqual([
      ["OPEN", "PAID"],
      ["OPEN", "PAID"],
    ]);
    expect(await rows.deleteMany({ where: { customerId: customer } })).toBe(3);
    expect((await changes()).map(({ operation, after }) => [operation, after])).toEqual(
      Array(3).fill(["delete", null]),
    );
  });

  it("C106 stores nothing of a transaction that is rolled back, and all of one that is committed", async () => {
    await expect(
      database.transaction(async (inside) => {
        await inside.of("Order").create({ data: { customerId: customer } });
        await inside.of("Customer").update({ where: { id: customer }, data: { name: "Ben" } });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await changes()).toEqual([]);
    await database.transaction(async (inside) => {
      const { id } = await inside.of("Order").create({ data: { customerId: customer } });
      await inside.of("Line").create({ data: { orderId: id, position: 1, text: "a" } });
    });
    const found = await stored();
    expect(found.map(({ model }) => model)).toEqual(["Order", "Line"]);
    expect(new Set(found.map(({ transaction }) => transaction)).size).toBe(1);
  });

  it("C106 stores nothing for a write that fails", async () => {
    const rows = database.of("Order");
    await expect(rows.update({ where: { id: 2 ** 30 }, data: { total: 1 } })).rejects.toMatchObject({ status: 404 });
    await expect(rows.delete({ where: { id: 2 ** 30 } })).rejects.toMatchObject({ status: 404 });
    await expect(rows.create({ data: { customerId: 2 ** 30 } })).rejects.toMatchObject({ status: 400 });
    await expect(
      rows.updateEach({ changes: [{ where: { id: 2 ** 30 }, data: { total: 1 } }], select: { id: true } }),
    ).rejects.toMatchObject({ status: 404 });
    expect(await rows.deleteMany({ where: { id: 2 ** 30 } })).toBe(0);
    expect(await changes()).toEqual([]);
  });

  it("C106 stores the changes of one row in the order in which they were committed", async () => {
    const id = await newOrder();
    await changes();
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        database.of("Order").update({ where: { id }, data: { total: index }, select: { id: true } }),
      ),
    );
    const found = await changes();
    expect(found).toHaveLength(30);
    for (const [index, { before }] of found.slice(1).entries()) expect(before).toEqual(found[index]?.after);
  });
});
