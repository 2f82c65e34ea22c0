import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../src/index.js";
import { dbNull, jsonNull } from "../src/internal.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
let database: Database;
let received: string[] = [];
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  const client = new PrismaClient({
    adapter: makePostgresAdapter({ url: kinds.url }),
    log: [{ emit: "event", level: "query" }],
  });
  client.$on("query", ({ query }) => received.push(query));
  database = makeDatabase({ client, models, schema: "public" });
});
afterAll(async () => {
  await database?.disconnect();
  await kinds?.close();
});

const values = {
  string: 'it\'s \\ "q" 🎵\n{a,b}',
  boolean: false,
  int: -(2 ** 31),
  bigInt: 2n ** 63n - 1n,
  float: 1e300 / 3,
  decimal: "123456789012345678901234567890.123456789",
  dateTime: new Date("9999-12-31T23:59:59.999Z"),
  json: { b: [1, null, { a: "x" }], a: "NULL" },
  bytes: new Uint8Array([0, 92, 255]),
  stage: "IN_REVIEW",
};
const natives = {
  char: "ab",
  varChar: "abcdef",
  bit: "101",
  varBit: "10101",
  uuid: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11",
  xml: "<a>&amp;</a>",
  inet: "10.0.0.0/8",
  smallInt: -32768,
  oid: 7,
  real: 0.1,
  decimal: "12.34",
  money: "-1234.56",
  timestamptz: new Date("2024-02-29T12:00:00.123Z"),
  date: new Date("0001-01-01T00:00:00Z"),
  time: new Date("1970-01-01T23:59:59.999Z"),
  timetz: new Date("1970-01-01T01:02:03.004Z"),
  json: { z: 1, a: 2 },
  jsonB: [1],
};
const lists = {
  strings: ["a,b", "", "NULL", '"', "{}", "\\"],
  booleans: [true, false],
  bigInts: [1n, -(2n ** 63n)],
  floats: [0.1, 1e300 / 3],
  decimals: ["1.5"],
  dateTimes: [new Date("2024-01-01T00:00:00.001Z")],
  jsons: [[1, [2]], { a: 1 }, "x"],
  bytes: [new Uint8Array([1])],
  stages: ["IN_REVIEW", "DRAFT"],
};

describe("updateEach", () => {
  it("C14 no row has a key that is longer than its column, in a change and in a lock", async () => {
    const tags = database.of("Tag");
    await tags.create({ data: { name: "short" } });
    const long = "x".repeat(61);
    const changes = ["short", long].map((name) => ({ where: { name }, data: { name: `${name}.` } }));
    await expect(tags.updateEach({ changes, select: { name: true } })).rejects.toMatchObject({ status: 404 });
    await database.transaction(async (inner) => {
      await inner.of("Tag").lockEach([{ name: "short" }, { name: long }]);
      expect(await inner.of("Tag").lock({ name: long })).toBe(false);
    });
    await tags.deleteMany({ where: { name: "short" } });
  });

  it.each([
    ["Scalar", values],
    ["Native", natives],
    ["Collection", lists],
  ] as const)("writes every column of %s as Prisma does", async (model, data) => {
    const rows = database.of(model);
    const select = Object.fromEntries(["id", ...Object.keys(data)].map((name) => [name, true]));
    const [own, prismas] = [await rows.create({ data: {} }), await rows.create({ data: {} })];
    const [updated] = await rows.updateEach({ changes: [{ where: { id: own.id }, data }], select });
    const expected = await rows.update({ where: { id: prismas.id }, data, select });
    expect({ ...updated, id: 0 }).toEqual({ ...expected, id: 0 });
    const columns = Object.keys(data)
      .map((name) => `"${name}"::text`)
      .join(", ");
    const stored = await kinds.sql(`SELECT ${columns} FROM "${model}" WHERE id IN ('${own.id}', '${prismas.id}')`);
    expect(stored[0]).toEqual(stored[1]);
    const isList = model === "Collection";
    const nothing = (name: string) => (isList ? [] : name.startsWith("json") ? dbNull : null);
    const empty = Object.fromEntries(Object.keys(data).map((name) => [name, nothing(name)]));
    const [cleared] = await rows.updateEach({ changes: [{ where: { id: own.id }, data: empty }], select });
    for (const name of Object.keys(data)) expect(cleared?.[name]).toEqual(isList ? [] : null);
  });

  it("distinguishes NULL from JSON's null", async () => {
    const rows = database.of("Scalar");
    const { id } = await rows.create({ data: { json: 1 } });
    const isNull = async () => (await kinds.sql(`SELECT json IS NULL AS is FROM "Scalar" WHERE id = ${id}`))[0]?.is;
    await rows.updateEach({ changes: [{ where: { id }, data: { json: jsonNull } }], select: { id: true } });
    expect(await isNull()).toBe(false);
    await rows.updateEach({ changes: [{ where: { id }, data: { json: dbNull } }], select: { id: true } });
    expect(await isNull()).toBe(true);
  });

  it("is one statement for different changes, leaves other columns unchanged, and preserves the order", async () => {
    const rows = database.of("Scalar");
    const made = await rows.createMany({
      data: [
        { int: 1, string: "a" },
        { int: 2, string: "b" },
        { int: 3, string: "c" },
      ],
    });
    const [a, b, c] = made.map(({ id }) => id);
    received = [];
    const changes = [
      { where: { id: c }, data: { int: 30 } },
      { where: { id: a }, data: { string: null } },
      { where: { id: b }, data: {} },
    ];
    const updated = await rows.updateEach({ changes, select: { int: true, string: true } });
    expect(updated).toEqual([
      { id: c, int: 30, string: "c" },
      { id: a, int: 1, string: null },
      { id: b, int: 2, string: "b" },
    ]);
    expect(received.map((sql) => sql.split(" ", 1)[0])).toEqual(["UPDATE", "SELECT", "COMMIT"]);
  });

  it("sets @updatedAt, uses names of the database, and follows a changing key", async () => {
    const { id, updatedAt } = await database.of("Author").create({ data: { email: "a@b", password: "p" } });
    const [author] = await database
      .of("Author")
      .updateEach({ changes: [{ where: { id }, data: { email: "c@d" } }], select: { email: true, updatedAt: true } });
    expect(author?.email).toBe("c@d");
    expect(Number(author?.updatedAt)).toBeGreaterThanOrEqual(Number(updatedAt));
    await database.of("Tag").createMany({ data: [{ name: "old" }, { name: "other" }] });
    const changes = [{ where: { name: "old" }, data: { name: "new" } }];
    expect(await database.of("Tag").updateEach({ changes, select: { name: true } })).toEqual([{ name: "new" }]);
    const clash = database
      .of("Tag")
      .updateEach({ changes: [{ where: { name: "new" }, data: { name: "other" } }], select: { name: true } });
    await expect(clash).rejects.toMatchObject({ status: 409, code: "UniqueConstraint", errors: [{ path: "/name" }] });
  });

  it("is all or nothing if a row is missing", async () => {
    const { id } = await database.of("Scalar").create({ data: { int: 1 } });
    const changes = [
      { where: { id }, data: { int: 2 } },
      { where: { id: 999_999 }, data: { int: 2 } },
    ];
    const work = database.transaction((inside) => inside.of("Scalar").updateEach({ changes, select: { int: true } }));
    await expect(work).rejects.toMatchObject({ status: 404 });
    expect(await database.of("Scalar").findUnique({ where: { id }, select: { int: true } })).toEqual({ int: 1 });
  });

  it("rejects undefined and an unknown row", async () => {
    const rows = database.of("Scalar");
    await expect(rows.updateEach({ changes: [{ where: { id: undefined }, data: {} }], select: {} })).rejects.toThrow(
      TypeError,
    );
    await expect(rows.updateEach({ changes: [{ where: { int: 1 }, data: {} }], select: {} })).rejects.toThrow(
      TypeError,
    );
    await expect(
      rows.updateEach({ changes: [{ where: { id: 1 }, data: { int: undefined } }], select: {} }),
    ).rejects.toThrow(TypeError);
  });

  it("updates each row with Prisma if the database schema is unknown", async () => {
    const { id } = await kinds.database.of("Scalar").create({ data: { int: 1 } });
    const changes = [{ where: { id }, data: { int: 2 } }];
    expect(await kinds.database.of("Scalar").updateEach({ changes, select: { int: true } })).toEqual([{ int: 2 }]);
  });
});
