import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSqliteDatabase } from "../../../scripts/test/sqlite-database.js";
import type { ChangeLog, RowChanged } from "../src/database/change-log.js";
import { makeDatabase, readModels } from "../src/index.js";
import { makeSqliteAdapter } from "../src/sqlite/index.js";
import { PrismaClient } from "./generated/file/client/client.js";
import { models as data } from "./generated/file/models.js";

const models = readModels(data);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const recordedFields: Readonly<Record<string, readonly string[]>> = {
  Reading: ["at", "value"],
  Price: ["amount", "note"],
};

/** A database, and the changes that are recorded of it. */
async function open() {
  const { url, drop } = await createSqliteDatabase(path.join(import.meta.dirname, "fixtures/file/schema.prisma"));
  closing.push(drop);
  const changes: RowChanged[] = [];
  const log: ChangeLog = {
    fieldsOf: ({ name }) => recordedFields[name],
    entry: (model) => ({ changes: model, data: {} }),
    store: async (_of, _model, stored) => {
      changes.push(...stored);
    },
  };
  const client = new PrismaClient({ adapter: makeSqliteAdapter({ url }) });
  const database = makeDatabase({ client, models, changes: log });
  closing.push(() => database.disconnect());
  return { client, database, changes };
}

/** A database with two readings, whose keys differ in milliseconds. */
async function openReadings() {
  const { client, database, changes } = await open();
  await client.sensor.create({ data: { id: 1 } });
  await client.reading.createMany({
    data: [
      { at: first, value: 1, sensorId: 1 },
      { at: second, value: 2, sensorId: 1 },
    ],
  });
  return { database, changes };
}

const first = new Date("2024-01-01T00:00:00.001Z");
const second = new Date("2024-01-01T00:00:00.002Z");
const select = { value: true } as const;

describe("the recorded changes of rows whose date-time keys differ in milliseconds only", () => {
  it("contain the states of their own row after an update of both", async () => {
    const { database, changes } = await openReadings();
    await database.of("Reading").updateMany({ where: { sensorId: 1 }, data: { value: { increment: 10 } }, select });
    expect(changes).toEqual([
      { operation: "update", before: { at: first, value: 1 }, after: { at: first, value: 11 } },
      { operation: "update", before: { at: second, value: 2 }, after: { at: second, value: 12 } },
    ]);
  });

  it("contain the states of their own row after different updates", async () => {
    const { database, changes } = await openReadings();
    await database.of("Reading").updateEach({
      changes: [
        { where: { at: first }, data: { value: 11 } },
        { where: { at: second }, data: { value: 12 } },
      ],
      select,
    });
    expect(changes).toEqual([
      { operation: "update", before: { at: first, value: 1 }, after: { at: first, value: 11 } },
      { operation: "update", before: { at: second, value: 2 }, after: { at: second, value: 12 } },
    ]);
  });

  it("contain both rows that a delete of the referenced row deletes", async () => {
    const { database, changes } = await openReadings();
    await database.of("Sensor").delete({ where: { id: 1 }, select: { id: true } });
    expect(changes).toEqual([
      { operation: "delete", before: { at: first, value: 1 } },
      { operation: "delete", before: { at: second, value: 2 } },
    ]);
  });
});

describe("the recorded changes of rows", () => {
  it("contain an update whose key is spelled differently than the stored one", async () => {
    const { client, database, changes } = await open();
    await client.price.create({ data: { amount: "1.5" } });
    await database.of("Price").updateEach({
      changes: [{ where: { amount: "1.50" }, data: { note: "a" } }],
      select: { note: true },
    });
    expect(changes).toMatchObject([{ operation: "update", before: { note: null }, after: { note: "a" } }]);
  });

  it("contain updates of many rows that change their keys", async () => {
    const { client, database, changes } = await open();
    await client.price.createMany({ data: [{ amount: "1" }, { amount: "20" }] });
    const rows = database.of("Price");
    await rows.updateMany({ where: {}, everything: true, data: { amount: { increment: 1 } }, select: { note: true } });
    expect(changes.map((change) => JSON.parse(JSON.stringify(change)))).toEqual([
      { operation: "update", before: { amount: "1", note: null }, after: { amount: "2", note: null } },
      { operation: "update", before: { amount: "20", note: null }, after: { amount: "21", note: null } },
    ]);
  });

  it("contain all recorded fields, while the written row has the selected ones", async () => {
    const { database, changes } = await open();
    const rows = database.of("Reading");
    const whole = { at: first, value: 1, sensorId: null };
    expect(await rows.create({ data: { at: first, value: 1 }, select: { value: true, at: false } })).toEqual({
      value: 1,
    });
    expect(await rows.update({ where: { at: first }, data: { value: 1 }, omit: { sensorId: true } })).toEqual({
      at: first,
      value: 1,
    });
    expect(await rows.update({ where: { at: first }, data: { value: 1 }, omit: { sensorId: false } })).toEqual(whole);
    expect(await rows.update({ where: { at: first }, data: { value: 1 } })).toEqual(whole);
    expect(await rows.createMany({ data: [{ at: second, value: 1 }], select })).toEqual([{ value: 1 }]);
    expect(changes.map(({ operation }) => operation)).toEqual(["create", "update", "update", "update", "create"]);
    for (const change of changes)
      expect("after" in change && change.after).toMatchObject({ value: 1, at: expect.any(Date) });
  });

  it("are none of writes that change nothing", async () => {
    const { database, changes } = await openReadings();
    const rows = database.of("Reading");
    changes.splice(0);
    expect(await rows.deleteMany({ where: { value: 9 } })).toBe(0);
    expect(await rows.updateMany({ where: { value: 9 }, data: { value: 8 }, select })).toEqual([]);
    expect(await database.of("Sensor").deleteMany({ where: { id: 9 } })).toBe(0);
    await expect(rows.update({ where: { at: new Date(0) }, data: { value: 8 }, select })).rejects.toMatchObject({
      status: 404,
    });
    await expect(rows.delete({ where: { at: new Date(0) }, select })).rejects.toMatchObject({ status: 404 });
    expect(changes).toEqual([]);
    expect(await rows.count()).toBe(2);
  });

  it("contain deletes by queries, and those of a bulk", async () => {
    const { database, changes } = await openReadings();
    await database.of("Reading").execute({ operation: "delete", args: { where: { at: first }, select } });
    await database.of("Sensor").execute({ operation: "delete", args: { where: { id: 1 }, select: { id: true } } });
    expect(changes).toEqual([
      { operation: "delete", before: { at: first, value: 1 } },
      { operation: "delete", before: { at: second, value: 2 } },
    ]);
    await database.of("Reading").createMany({ data: [first, second].map((at) => ({ at, value: 3 })), select });
    changes.splice(0);
    expect(await database.of("Reading").deleteMany({ where: { value: 3 } })).toBe(2);
    expect(changes).toMatchObject([{ before: { value: 3 } }, { before: { value: 3 } }]);
  });
});
