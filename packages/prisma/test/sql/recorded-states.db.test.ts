import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { RecordedWrite } from "../../src/database/executor.js";
import { toModelsData } from "../../src/generator/index.js";
import { type Clause, makeDatabase, type Row, readModels, type StoredField } from "../../src/index.js";
import { makePostgresAdapter, type PostgresAdapter } from "../../src/postgres/make-postgres-adapter.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { toJsonField } from "../../src/values/json-value.js";
import { writeKey } from "../../src/values/write-key.js";
import { PrismaClient } from "../generated/kinds/client/client.js";
import { type Kinds, models as kindsModels, openKinds } from "../kinds.js";
import { kindsSchema, readDataModel } from "../kinds-models.js";

// A table of changes, which the fixture does not have.
const schema = `${kindsSchema}\nmodel Log {\n  id Int @id @default(autoincrement())\n  model String\n  operation String\n  at DateTime?\n  key String\n  before Json?\n  after Json?\n}`;
const models = readModels(toModelsData(readDataModel([["schema.prisma", schema]]), schema));
const modelOf = (name: string) => models.get(name) ?? expect.fail(name);

let kinds: Kinds;
let client: PrismaClient;
let adapter: PostgresAdapter;
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.sql(
    `CREATE TABLE "Log" (id serial PRIMARY KEY, model text, operation text, at timestamp(3), key text, before jsonb, after jsonb)`,
  );
  adapter = makePostgresAdapter({ url: kinds.url });
  client = new PrismaClient({ adapter });
  await makeDatabase({ client, models: kindsModels }).ping();
});
afterAll(async () => {
  await client?.$disconnect();
  await kinds?.close();
});
beforeEach(() => kinds.sql('TRUNCATE "Log", "Scalar", "Native", "Collection", "Tag", people, "Article" CASCADE'));

const fieldsOf = (name: string, names: readonly string[]): readonly StoredField[] =>
  names.map((one) => {
    const field = modelOf(name).fieldsByName.get(one);
    return field?.kind === "scalar" || field?.kind === "enum" ? field : expect.fail(`${name}.${one}`);
  });

/** Prepares a write that stores its changes; `undefined` if SQL cannot do it. */
function prepare(name: string, query: RecordedWrite, recorded: readonly string[], data: Clause = { model: name }) {
  const executor = sqlExecutor({ client, link: adapter.link, models, schema: "public" })(client);
  const entry = { changes: modelOf("Log"), data, fields: fieldsOf(name, recorded) };
  return executor.prepareRecorded?.(modelOf(name), query, entry);
}
async function write(name: string, query: RecordedWrite, recorded: readonly string[]): Promise<readonly Row[]> {
  const result = await (prepare(name, query, recorded) ?? expect.fail("SQL cannot do it"))();
  return "rows" in result ? result.rows : [];
}
const log = () => kinds.sql('SELECT model, key, before, after FROM "Log" ORDER BY id');

/** The fields of a row as in a response. */
const shown = (name: string, names: readonly string[], row: Row): Row =>
  JSON.parse(
    JSON.stringify(
      Object.fromEntries(fieldsOf(name, names).map((field) => [field.name, toJsonField(field, row[field.name])])),
    ),
  );

const scalars = ["id", "string", "boolean", "int", "bigInt", "float", "decimal", "dateTime", "json", "bytes", "stage"];
const natives = [
  ..."id text char varChar bit varBit uuid inet boolean integer smallInt oid bigInt double".split(" "),
  ..."decimal timestamp timestamptz date json jsonB byteA".split(" "),
];
const lists = ["id", "strings", "booleans", "ints"];

describe("C106 the recorded states of rows that SQL writes", () => {
  it.each<readonly [string, readonly string[], Clause]>([
    [
      "Scalar",
      scalars,
      {
        ...{
          string: `it's "a" \\ 🎵`,
          boolean: false,
          int: -5,
          bigInt: 9007199254740993n,
          float: 0.1,
          decimal: "12.3400",
        },
        ...{ dateTime: new Date("2024-02-29T10:00:00.120Z"), json: { a: [1, null, "x"] } },
        ...{ bytes: new Uint8Array(100).fill(255), stage: "IN_REVIEW" },
      },
    ],
    ["Scalar", scalars, {}],
    [
      "Native",
      natives,
      {
        ...{
          text: "",
          char: "ab",
          varChar: "a  ",
          bit: "101",
          varBit: "1",
          uuid: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11",
        },
        ...{
          inet: "10.0.0.1",
          boolean: true,
          integer: 1,
          smallInt: 2,
          oid: 3,
          bigInt: 4n,
          double: 1e-7,
          decimal: "1.5",
        },
        ...{ timestamp: new Date("2024-01-01T00:00:00.000Z"), timestamptz: new Date("2024-06-01T00:00:00.5Z") },
        ...{ date: new Date("2024-02-29"), json: { b: 1 }, jsonB: "text", byteA: new Uint8Array([0]) },
      },
    ],
    ["Collection", lists, { strings: ["a", '"'], booleans: [true, false], ints: [1, 2] }],
    ["Collection", lists, {}],
  ])("are those of responses: %s", async (name, recorded, data) => {
    const [row] = await write(name, { operation: "create", args: { data, select: { id: true } } }, recorded);
    const stored = await kinds.database.of(name).findUnique({ where: { id: row?.id } });
    expect(await log()).toEqual([
      { model: name, key: String(row?.id), before: null, after: shown(name, recorded, stored ?? {}) },
    ]);
  });

  it.each([
    ["dateTime", "'infinity'", "infinity"],
    ["dateTime", "'-infinity'", "-infinity"],
    ["decimal", "100", "100"],
    ["float", "2", 2],
  ])("have the value of %s %s", async (name, sql, expected) => {
    await kinds.sql(`INSERT INTO "Scalar" (id, "${name}") VALUES (1, ${sql})`);
    await write("Scalar", { operation: "delete", args: { where: { id: 1 }, select: { id: true } } }, [name]);
    expect(await log()).toMatchObject([{ before: { [name]: expected }, after: null }]);
  });

  it.each([
    ["timestamptz", "'2024-01-01 10:00:00.123456+02'", "2024-01-01T08:00:00.123456Z"],
    ["timestamptz", "'2024-01-01 10:00:00.123+02'", "2024-01-01T08:00:00.123Z"],
    ["timestamptz", "'infinity'", "infinity"],
    ["timestamp", "'2024-01-01 10:00:00.12'", "2024-01-01T10:00:00.120Z"],
    ["date", "'infinity'", "infinity"],
    ["date", "'2024-03-05'", "2024-03-05T00:00:00.000Z"],
    ["decimal", "7", "7.00"],
  ])("have the native value of %s %s", async (name, sql, expected) => {
    const [made] = await kinds.sql(
      `INSERT INTO "Native" (id, "${name}") VALUES (gen_random_uuid(), ${sql}) RETURNING id`,
    );
    await write("Native", { operation: "delete", args: { where: { id: made?.id }, select: { id: true } } }, [name]);
    expect(await log()).toMatchObject([{ before: { [name]: expected }, after: null }]);
  });

  it("are those before and after an update, and only of its row", async () => {
    await kinds.sql(`INSERT INTO "Scalar" (id, int, string) VALUES (1, 5, 'a'), (2, 6, 'b')`);
    const query = { operation: "update", args: { where: { id: 2 }, data: { int: 7 }, select: { int: true } } } as const;
    expect(await write("Scalar", query, ["int", "string"])).toEqual([{ int: 7 }]);
    expect(await log()).toEqual([
      { model: "Scalar", key: "2", before: { int: 6, string: "b" }, after: { int: 7, string: "b" } },
    ]);
  });

  it("are stored for each row of a bulk", async () => {
    await kinds.sql(`INSERT INTO "Scalar" (id, int) VALUES (3, 1), (1, 1), (2, 9)`);
    const where = { int: 1 };
    const update = { operation: "updateMany", args: { where, data: { string: "x" }, select: { id: true } } } as const;
    expect(await write("Scalar", update, ["int", "string"])).toHaveLength(2);
    await write("Scalar", { operation: "deleteMany", args: { where } }, ["string"]);
    const sorted = (await log()).sort(
      (one, other) => Number(one.after === null) - Number(other.after === null) || Number(one.key) - Number(other.key),
    );
    expect(sorted).toEqual([
      ...["1", "3"].map((key) => ({
        ...{ model: "Scalar", key },
        ...{ before: { int: 1, string: null }, after: { int: 1, string: "x" } },
      })),
      ...["1", "3"].map((key) => ({ model: "Scalar", key, before: { string: "x" }, after: null })),
    ]);
  });

  it("may have more fields than one function of PostgreSQL has arguments", async () => {
    const names = kindsModels.get("Wide")?.fields.map(({ name }) => name) ?? [];
    await write("Wide", { operation: "create", args: { data: { c01: 1, c59: 59 }, select: { id: true } } }, names);
    const [entry] = await log();
    expect(Object.keys(entry?.after as object).sort()).toEqual([...names].sort());
    expect(entry?.after).toMatchObject({ c01: 1, c30: null, c59: 59 });
  });

  it("have a time of the entry", async () => {
    const at = new Date("2024-01-02T03:04:05.678Z");
    const query = { operation: "create", args: { data: {}, select: { id: true } } } as const;
    await (prepare("Scalar", query, ["id"], { model: "Scalar", at }) ?? expect.fail())();
    expect(await kinds.sql(`SELECT at::text AS at FROM "Log"`)).toEqual([{ at: "2024-01-02 03:04:05.678" }]);
  });
});

describe("C106 the recorded keys of rows that SQL writes", () => {
  it.each(["many", "Many", "many more", "a b", "a,b", "é/🎵", "100%", "x-_.!~*'()", "?&=#", "line\nbreak", "Ω"])(
    "are those of paths: %j",
    async (name) => {
      await write("Tag", { operation: "create", args: { data: { name }, select: { name: true } } }, ["name"]);
      expect(await log()).toMatchObject([{ key: writeKey(modelOf("Tag"), { name }), after: { name } }]);
    },
  );

  it("have the values of several fields", async () => {
    await kinds.sql(
      `INSERT INTO people (id, email_address, password, "updatedAt") VALUES (1, 'a', 'p', now());
       INSERT INTO "Article" (id, title, slug, language, "authorId") VALUES (7, 't', 's', 'en', 1)`,
    );
    const data = { authorId: 1, articleId: 7n, place: "here" };
    await write("Posting", { operation: "create", args: { data, select: { place: true } } }, ["place"]);
    expect(await log()).toMatchObject([{ model: "Posting", key: "1,7", after: { place: "here" } }]);
  });
});

describe("C106 a change that SQL cannot store with its row", () => {
  const query = { operation: "create", args: { data: {}, select: { id: true } } } as const;

  it.each<readonly [string, readonly string[]]>([
    ["Native", ["real"]],
    ["Native", ["money"]],
    ["Native", ["time"]],
    ["Native", ["timetz"]],
    ["Collection", ["bigInts"]],
    ["Collection", ["jsons"]],
    ["Collection", ["stages"]],
    ["Scalar", []],
  ])("is left to Prisma Client: %s %j", (name, recorded) => {
    expect(prepare(name, query, recorded)).toBeUndefined();
    expect(prepare(name, query, ["id"])).toBeDefined();
  });

  it("is that of a row without a key that SQL writes as a path", () => {
    const seat = { operation: "create", args: { data: { name: "Bern" }, select: { name: true } } } as const;
    expect(
      prepare("Country", { ...seat, args: { ...seat.args, data: { code: "x", number: 1 } } }, ["name"]),
    ).toBeDefined();
    expect(prepare("Scalar", query, ["id"], { model: "Scalar", id: 5 })).toBeUndefined();
  });
});
