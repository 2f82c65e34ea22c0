import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Clause, type Database, makeDatabase } from "../src/index.js";
import { chooseEngine } from "../src/internal.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const opened: Database[] = [];

function open(engine: "auto" | "prisma"): Database {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  const choice = chooseEngine({ client, adapter, models, schema: "public", engine });
  const database = makeDatabase({ client, models, schema: "public", ...choice });
  opened.push(database);
  return database;
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql(`CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ALTER TABLE "Tag" ALTER name TYPE varchar(60) COLLATE loose`);
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.disconnect()));
  await kinds?.close();
});
beforeEach(() => kinds.sql(`TRUNCATE "Tag" CASCADE; INSERT INTO "Tag" VALUES ('Red'), ('blue')`));

describe.each(["auto", "prisma"] as const)("columns with a nondeterministic collation and the engine %s", (engine) => {
  const select = { name: true };
  const namesOf = async (database: Database, where: Clause) =>
    (await database.of("Tag").findMany({ where, select, orderBy: [{ name: "asc" }] })).map(({ name }) => name);

  it("C18 are compared by it, and with patterns as other columns", async () => {
    const database = open(engine);
    expect(await namesOf(database, { name: { contains: "e" } })).toEqual(["blue", "Red"]);
    expect(await namesOf(database, { name: { startsWith: "r" } })).toEqual([]);
    expect(await namesOf(database, { name: { startsWith: "r", mode: "insensitive" } })).toEqual(["Red"]);
    expect(await namesOf(database, { name: { endsWith: "ue" } })).toEqual(["blue"]);
    expect(await namesOf(database, { name: "RED" })).toEqual(["Red"]);
    expect(await database.of("Tag").count({ where: { name: { contains: "R" } } })).toBe(1);
  });

  it("C18 are compared with patterns inside a transaction, which is repeated once", async () => {
    const database = open(engine);
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
    expect(await open(engine).of("Tag").updateMany(changed)).toEqual([{ name: "green" }]);
    expect(
      await open(engine)
        .of("Tag")
        .deleteMany({ where: { name: { startsWith: "gr" } } }),
    ).toBe(1);
    expect(await kinds.sql('SELECT name FROM "Tag"')).toEqual([{ name: "Red" }]);
  });
});
