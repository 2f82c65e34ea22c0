import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Database } from "../src/index.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql(`
    CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP <> 'INSERT' AND OLD.string = 'fixed' THEN RETURN NULL; END IF;
      IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
      IF TG_OP = 'INSERT' AND NEW.string = 'no' THEN RETURN NULL; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER skipping BEFORE INSERT OR UPDATE OR DELETE ON "Scalar" FOR EACH ROW EXECUTE FUNCTION skip();
    CREATE FUNCTION redirect() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
      INSERT INTO "Tag" VALUES (NEW.name);
      RETURN NULL;
    END $$;
    CREATE TRIGGER redirecting BEFORE INSERT ON "Tag" FOR EACH ROW EXECUTE FUNCTION redirect();
    CREATE RULE marked AS ON DELETE TO "Seat" DO INSTEAD
      UPDATE "Seat" SET note = 'gone ' || OLD."column" WHERE "row" = OLD."row" AND "column" = OLD."column";
    CREATE RULE unchanged AS ON UPDATE TO "Country" DO INSTEAD NOTHING;
  `);
});
afterAll(() => kinds?.close());
beforeEach(async () => {
  await kinds.sql('TRUNCATE "Scalar", "Tag", "Seat", "Country" CASCADE');
  await kinds.sql(`INSERT INTO "Scalar" (id, string, int) VALUES (1, 'fixed', 1), (2, 'free', 1), (3, 'free', 5)`);
});

describe.each(["auto", "prisma"] as const)(
  "writes of a table with triggers that skip rows, with the engine %s",
  (engine) => {
    let database: Database;
    beforeAll(() => {
      database = kinds.openEngine(engine);
    });
    const rows = () => database.of("Scalar");
    const stored = () => kinds.sql('SELECT id, string, int FROM "Scalar" ORDER BY id');
    const select = { id: true, int: true };

    it("reject a create that stores no row, and a bulk that stores only some", async () => {
      const rejected = { status: 400, code: "RejectedByDatabase" };
      await expect(rows().create({ data: { string: "no" }, select })).rejects.toMatchObject(rejected);
      const data = [
        { id: 7, string: "yes" },
        { id: 8, string: "no" },
      ];
      await expect(rows().createMany({ data, select })).rejects.toMatchObject(rejected);
      expect(await stored()).toHaveLength(3);
      expect(await rows().createMany({ data: [{ id: 9, int: 4 }], select })).toEqual([{ id: 9, int: 4 }]);
      expect(await rows().create({ data: { id: 10, int: 5 }, select })).toEqual({ id: 10, int: 5 });
    });

    it("return a created row that the trigger stores itself", async () => {
      expect(await database.of("Tag").create({ data: { name: "red" }, select: { name: true } })).toEqual({
        name: "red",
      });
      expect(await database.of("Tag").create({ data: { name: "blue" } })).toEqual({ name: "blue" });
    });

    it("return the current row of a skipped update, and 404 for a missing row", async () => {
      const update = (id: number) => rows().update({ where: { id }, data: { int: 7 }, select });
      expect(await update(1)).toEqual({ id: 1, int: 1 });
      expect(await update(2)).toEqual({ id: 2, int: 7 });
      expect(await rows().update({ where: { id: 1 }, data: { int: 7 }, select: { int: true } })).toEqual({ int: 1 });
      expect(await rows().update({ where: { id: 2 }, data: { id: 20 }, select: { string: true } })).toEqual({
        string: "free",
      });
      await expect(update(99)).rejects.toMatchObject({ status: 404 });
      expect(await stored()).toEqual([
        { id: 1, string: "fixed", int: 1 },
        { id: 3, string: "free", int: 5 },
        { id: 20, string: "free", int: 7 },
      ]);
    });

    it("return all rows that a bulk update matched, in their current state", async () => {
      const byId = (found: readonly { readonly id?: unknown }[]) =>
        [...found].sort((a, b) => Number(a.id) - Number(b.id));
      expect(byId(await rows().updateMany({ where: { int: 1 }, data: { int: 2 }, select }))).toEqual([
        { id: 1, int: 1 },
        { id: 2, int: 2 },
      ]);
      expect(await rows().updateMany({ where: { int: 99 }, data: { int: 2 }, select })).toEqual([]);
      const changes = [3, 1].map((id) => ({ where: { id }, data: { int: id * 10 } }));
      expect(await rows().updateEach({ changes, select })).toEqual([
        { id: 3, int: 30 },
        { id: 1, int: 1 },
      ]);
      const missing = [2, 99].map((id) => ({ where: { id }, data: { int: 77 } }));
      await expect(rows().updateEach({ changes: missing, select })).rejects.toMatchObject({ status: 404 });
      expect((await stored()).map(({ int }) => int)).toEqual([1, 2, 30]);
    });

    it("return a row whose delete is skipped, and count the rows that a bulk delete matched", async () => {
      expect(await rows().delete({ where: { id: 1 }, select: { int: true } })).toEqual({ int: 1 });
      expect(await rows().delete({ where: { id: 3 }, select })).toEqual({ id: 3, int: 5 });
      await expect(rows().delete({ where: { id: 99 }, select })).rejects.toMatchObject({ status: 404 });
      expect((await stored()).map(({ id }) => id)).toEqual([1, 2]);
      expect(await rows().deleteMany({ where: { int: 1 } })).toBe(2);
      expect(await rows().deleteMany({ where: { int: 99 } })).toBe(0);
      expect((await stored()).map(({ id }) => id)).toEqual([1]);
    });

    it("are the same by queries, and inside a transaction", async () => {
      const seen = { model: models.get("Scalar") ?? expect.fail(), models };
      const query = { operation: "update", args: { where: { id: 1 }, data: { int: 9 }, select } } as const;
      expect(await rows().execute(query, seen)).toMatchObject({ rows: [{ id: 1, int: 1 }] });
      expect(await rows().execute({ operation: "delete", args: { where: { id: 1 }, select } }, seen)).toMatchObject({
        rows: [{ id: 1, int: 1 }],
      });
      await database.transaction(async (inside) => {
        expect(await inside.of("Scalar").update({ where: { id: 1 }, data: { int: 9 }, select })).toEqual({
          id: 1,
          int: 1,
        });
        expect(await inside.of("Scalar").deleteMany({ where: { string: "free" } })).toBe(2);
      });
      expect(await stored()).toEqual([{ id: 1, string: "fixed", int: 1 }]);
    });

    it("follow rules that replace them", async () => {
      await kinds.sql(`INSERT INTO "Seat" ("row", "column", hidden) VALUES (1, 1, ''), (1, 2, '')`);
      await kinds.sql(`INSERT INTO "Country" (code, number, name) VALUES ('ch', 1, 'Swiss')`);
      const seats = database.of("Seat");
      const where = { position: { row: 1, column: 1 } };
      expect(await seats.delete({ where, select: { column: true } })).toEqual({ column: 1 });
      const notes = () => kinds.sql('SELECT note FROM "Seat" ORDER BY "column"');
      expect(await notes()).toEqual([{ note: "gone 1" }, { note: null }]);
      expect(await seats.deleteMany({ where: { row: 1 } })).toBe(2);
      expect(await notes()).toEqual([{ note: "gone 1" }, { note: "gone 2" }]);
      const countries = database.of("Country");
      const change = { data: { name: "Switzerland" }, select: { name: true } };
      expect(await countries.update({ where: { code: "ch" }, ...change })).toEqual({ name: "Swiss" });
      expect(await countries.updateMany({ where: { number: 1 }, ...change })).toEqual([{ name: "Swiss" }]);
      await expect(countries.update({ where: { code: "de" }, ...change })).rejects.toMatchObject({ status: 404 });
    });
  },
);
