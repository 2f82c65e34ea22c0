import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Database } from "../src/index.js";
import { PreciseDate } from "../src/values/moment.js";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(() => kinds?.close());

describe.each(["auto", "prisma", "prisma with a query log"] as const)(
  "values that Prisma Client cannot represent, and the engine %s",
  (engine) => {
    let database: Database;
    beforeAll(() => {
      database = engine === "prisma with a query log" ? kinds.openLogged().database : kinds.openEngine(engine);
    });
    beforeEach(() => kinds.sql('TRUNCATE "Native", "Scalar"'));
    const text = "2024-01-01T10:00:00.123456Z";

    it("C92 are read, compared and written exactly", async () => {
      const rows = database.of("Native");
      const made = await rows.create({
        data: { timestamptz: new PreciseDate(text) },
        select: { id: true, timestamptz: true },
      });
      expect((made.timestamptz as Date).toISOString()).toBe(text);
      expect(await kinds.sql(`SELECT (timestamptz AT TIME ZONE 'UTC')::text AS at FROM "Native"`)).toEqual([
        { at: "2024-01-01 10:00:00.123456" },
      ]);
      const where = { timestamptz: new PreciseDate(text) };
      expect(await rows.count({ where })).toBe(1);
      expect(await rows.count({ where: { timestamptz: new PreciseDate(text.replace("6Z", "7Z")) } })).toBe(0);
      const [row] = await rows.findMany({ where, select: { timestamptz: true } });
      expect((row as { timestamptz: Date }).timestamptz.toISOString()).toBe(text);
      const later = new PreciseDate("2024-01-01T10:00:00.000001Z");
      const updated = await rows.update({
        where: { id: made.id },
        data: { timestamptz: later },
        select: { timestamptz: true },
      });
      expect((updated.timestamptz as Date).toISOString()).toBe("2024-01-01T10:00:00.000001Z");
      expect(await rows.deleteMany({ where: { timestamptz: later } })).toBe(1);
    });

    it("C92 are compared as times with a zone", async () => {
      await kinds.sql(`INSERT INTO "Native" (id, timetz) VALUES (gen_random_uuid(), '12:00+02')`);
      const at = new Date("1970-01-01T10:00:00.000Z");
      expect(await database.of("Native").count({ where: { timetz: at } })).toBe(1);
      expect(
        await database.of("Native").findMany({ where: { timetz: { gte: at } }, select: { timetz: true } }),
      ).toEqual([{ timetz: at }]);
    });

    it("C92 are long numbers in filters", async () => {
      const rows = database.of("Scalar");
      const select = { id: true, float: true };
      for (const float of [Number.MAX_VALUE, 1.7976931348623158e307, 0.30000000000000004]) {
        await kinds.sql('TRUNCATE "Scalar"');
        const { id } = await rows.create({ data: { float }, select });
        const found = [{ id, float }];
        for (const where of [
          { float },
          { AND: [{ OR: [{ float }] }] },
          { float: { in: [float, 1] } },
          { float: { gte: float } },
          { NOT: { float: { not: float } } },
        ]) {
          expect(await rows.findMany({ where, select })).toEqual(found);
          expect(await rows.count({ where })).toBe(1);
        }
        expect(await rows.count({ where: { float: { lt: float } } })).toBe(0);
        const where = { AND: [{ float }] };
        expect(await rows.updateMany({ where, data: { int: 7 }, select })).toEqual(found);
        expect(await rows.deleteMany({ where: { float: { in: [float] } } })).toBe(1);
      }
    });

    it("C92 are numbers that are not finite", async () => {
      await kinds.sql(`INSERT INTO "Scalar" (decimal, float) VALUES ('NaN', 'Infinity'), (1.5, 1.5)`);
      const rows = database.of("Scalar");
      expect(await rows.count({ where: { decimal: "NaN" } })).toBe(1);
      expect(await rows.count({ where: { float: Number.POSITIVE_INFINITY } })).toBe(1);
      expect(
        await rows.updateMany({ where: { decimal: "NaN" }, data: { int: 1 }, select: { int: true } }),
      ).toMatchObject([{ int: 1 }]);
      expect(await rows.deleteMany({ where: { float: Number.POSITIVE_INFINITY } })).toBe(1);
      expect(await rows.findMany({ select: { float: true } })).toEqual([{ float: 1.5 }]);
    });
  },
);

describe("C94 the query log of a Prisma client", () => {
  const time = new PreciseDate("2024-01-01T10:00:00.123456Z");
  /** An operation, and the statements of its log. */
  const logged = async (run: (database: Database) => Promise<unknown>) => {
    const { database, statements } = kinds.openLogged();
    // Prisma Client opens its connections.
    await database.of("Author").count({});
    const before = statements.length;
    await run(database);
    return statements.slice(before);
  };
  beforeEach(() => kinds.sql('TRUNCATE "Native"'));

  const select = { id: true, timestamptz: true, jsonB: true };
  const data = { timestamptz: time, jsonB: [1] };
  it.each<[name: string, statement: string, run: (database: Database) => Promise<unknown>]>([
    ["a list", "SELECT", (database) => database.of("Native").findMany({ select })],
    ["a count", "SELECT", (database) => database.of("Native").count({ where: { timestamptz: time } })],
    ["a create", "INSERT", (database) => database.of("Native").create({ data, select })],
    ["a bulk create", "INSERT", (database) => database.of("Native").createMany({ data: [data], select })],
    ["a deletion", "DELETE", (database) => database.of("Native").deleteMany({ where: { timestamptz: time } })],
    [
      "a read in a transaction",
      "SELECT",
      (database) => database.transaction((inner) => inner.of("Native").findMany({ select })),
    ],
  ])("C94 contains the statement of %s of a model with exact values", async (_name, statement, run) => {
    expect(await logged(run)).toContainEqual(expect.stringMatching(new RegExp(`${statement}[^]*"Native"`)));
  });
});
