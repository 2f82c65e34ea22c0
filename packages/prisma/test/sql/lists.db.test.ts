import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { type Model } from "../../src/models/model.js";
import { makePostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { type Clause } from "../../src/queries/query-args.js";
import { chooseEngine } from "../../src/sql/choose-engine.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "../kinds.js";

let kinds: Kinds;
let client: PrismaClient;
/** Reads and writes by SQL. */
let database: Database;
/** The queries of Prisma. */
const byPrisma: string[] = [];

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const adapter = makePostgresAdapter({ url: kinds.url });
  client = new PrismaClient({ adapter });
  const choice = { client, adapter, models, schema: "public" };
  const { collection: delegate } = client as unknown as {
    readonly collection: Record<string, (args: unknown) => unknown>;
  };
  for (const method of ["create", "update", "findUnique", "findMany"]) {
    const original = delegate[method] as (args: unknown) => unknown;
    delegate[method] = (args) => {
      byPrisma.push(method);
      return original(args);
    };
  }
  database = makeDatabase({ client, models, schema: "public", ...chooseEngine(choice) });
  await database.ping();
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});

const collection = models.get("Collection") as Model;
const known = ["strings", "booleans", "ints", "stages", "uuids", "defaults"];
const select: Clause = Object.fromEntries(["id", ...known].map((name) => [name, true]));

const uuid = "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11";
const values: Readonly<Record<string, readonly unknown[]>> = {
  strings: [
    [],
    ["a"],
    ["", " ", "a,b", "{}", '"', "\\", "NULL", "null", "it's", "🎵", "line\nbreak\u0001\u007f\u2028"],
    ["\u0000"],
    ["\ud83c"],
    [1],
    [null],
    null,
    "a",
    { set: ["a"] },
  ],
  booleans: [[], [true, false], ["true"], [null]],
  ints: [[], [0, -0, 2147483647, -2147483648], [2147483648], [1.5], ["1"]],
  stages: [[], ["DRAFT", "IN_REVIEW", "DRAFT"], ["in review"], ["NONE"]],
  uuids: [[], [uuid, uuid.toUpperCase()], ["x"]],
  defaults: [[], ["c"]],
};

/** The result of some work, without the id of a new row. */
async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    const row = (await work()) as object;
    return { ...row, id: 0 };
  } catch (error) {
    const { status, code, errors } = error as Record<string, unknown>;
    return { status, code, errors };
  }
}

it("C71 stores, returns and rejects lists of strings, integers, booleans and enums as Prisma does", async () => {
  for (const [name, lists] of Object.entries(values)) {
    for (const value of lists) {
      const data = { [name]: value };
      const about = `${name} ${JSON.stringify(value)}`;
      const ways: readonly ((to: Database) => Promise<unknown>)[] = [
        (to) => to.of("Collection").create({ data, select }),
        (to) => to.transaction((inside) => inside.of("Collection").create({ data, select })),
        async (to) => {
          const { id } = await to.of("Collection").create({ data: { ints: [1] }, select: { id: true } });
          return to.of("Collection").update({ where: { id }, data, select });
        },
      ];
      for (const way of ways) {
        const right = await outcomeOf(() => way(kinds.database));
        expect(await outcomeOf(() => way(database)), about).toEqual(right);
      }
    }
  }
});

it("C71 reads and writes such lists by SQL", async () => {
  const before = byPrisma.length;
  const data = { strings: ['a "b"', "\\"], stages: ["IN_REVIEW"], ints: [1, 2], uuids: [uuid] };
  const { id } = await database.of("Collection").create({ data, select });
  const changed = await database.of("Collection").update({ where: { id }, data: { booleans: [true] }, select });
  expect(changed).toEqual({ id, ...data, booleans: [true], defaults: ["a", "b"] });
  const seen = { model: collection, models };
  const args = { where: { id }, select };
  const result = await database.of("Collection").execute({ operation: "findUnique", args }, seen);
  expect(JSON.parse("json" in result ? String(result.json) : "")).toEqual(changed);
  expect(await database.of("Collection").findUnique({ where: { id }, select })).toEqual(changed);
  expect(byPrisma.slice(before)).toEqual([]);
});

it("C71 returns a NULL list as an empty one, as Prisma does", async () => {
  await kinds.sql(`INSERT INTO "Collection" (strings, ints, stages) VALUES (NULL, NULL, NULL)`);
  const args = { select, orderBy: [{ id: "asc" }], where: {} };
  const [right, found] = await Promise.all(
    [kinds.database, database].map((one) => one.of("Collection").findMany(args)),
  );
  expect(found).toEqual(right);
  expect(right?.at(-1)).toMatchObject({ strings: [], ints: [], stages: [] });
  const seen = { model: collection, models };
  const listed = await database.of("Collection").execute({ operation: "findMany", args }, seen);
  expect(JSON.parse("json" in listed ? String(listed.json) : "")).toEqual(right);
});
