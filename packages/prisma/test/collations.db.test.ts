import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Clause, type Database } from "../src/index.js";
import { type Kinds, openKinds } from "./kinds.js";

let kinds: Kinds;
/** Whether patterns are compared by the collation of the column: PostgreSQL 18 supports this. */
let areCollated: boolean;

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  // PostgreSQL 18 requires equal collations of both columns of a foreign key.
  await kinds.sql(`CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ALTER TABLE "_ArticleToTag" DROP CONSTRAINT "_ArticleToTag_B_fkey";
    ALTER TABLE "Tag" ALTER name TYPE varchar(60) COLLATE loose`);
  const [version] = await kinds.sql("SELECT current_setting('server_version_num')::int >= 180000 AS modern");
  areCollated = version?.modern === true;
});
afterAll(() => kinds?.close());
beforeEach(() => kinds.sql(`TRUNCATE "Tag" CASCADE; INSERT INTO "Tag" VALUES ('Red'), ('blue')`));

describe.each(["auto", "prisma"] as const)("columns with a nondeterministic collation and the engine %s", (engine) => {
  const select = { name: true };
  const namesOf = async (database: Database, where: Clause) =>
    (await database.of("Tag").findMany({ where, select, orderBy: [{ name: "asc" }] })).map(({ name }) => name);

  it("C18 are compared by it, and before PostgreSQL 18 with patterns as other columns", async () => {
    const database = kinds.openEngine(engine);
    expect(await namesOf(database, { name: { contains: "e" } })).toEqual(["blue", "Red"]);
    expect(await namesOf(database, { name: { startsWith: "r" } })).toEqual(areCollated ? ["Red"] : []);
    expect(await namesOf(database, { name: { startsWith: "r", mode: "insensitive" } })).toEqual(["Red"]);
    expect(await namesOf(database, { name: { endsWith: "ue" } })).toEqual(["blue"]);
    expect(await namesOf(database, { name: "RED" })).toEqual(["Red"]);
    expect(await database.of("Tag").count({ where: { name: { contains: "R" } } })).toBe(1);
  });

  it("C18 are compared with patterns inside a transaction, which is repeated once", async () => {
    const database = kinds.openEngine(engine);
    let runs = 0;
    const found = await database.transaction(async (inside) => {
      runs++;
      return namesOf(inside, { name: { contains: "lu" } });
    });
    expect(found).toEqual(["blue"]);
    expect(runs).toBeLessThanOrEqual(2);
    await database.transaction((inside) => namesOf(inside, { name: { contains: "lu" } }));
  });

  it("C18 are compared with patterns by writes", async () => {
    const changed = { where: { name: { contains: "lu" } }, data: { name: "green" }, select };
    expect(await kinds.openEngine(engine).of("Tag").updateMany(changed)).toEqual([{ name: "green" }]);
    expect(
      await kinds
        .openEngine(engine)
        .of("Tag")
        .deleteMany({ where: { name: { startsWith: "gr" } } }),
    ).toBe(1);
    expect(await kinds.sql('SELECT name FROM "Tag"')).toEqual([{ name: "Red" }]);
  });
});
