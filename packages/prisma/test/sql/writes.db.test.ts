import { Decimal } from "@prisma/client/runtime/client";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../../src/database/make-database.js";
import { type Clause } from "../../src/queries/query-args.js";
import { sqlExecutor } from "../../src/sql/sql-executor.js";
import { dbNull, jsonNull } from "../../src/values/prisma-nulls.js";
import { models } from "../kinds.js";
import { complete, jsonOf, keyOf, openWrites, scalars, selectOf, type Writes, withoutText } from "./open-writes.js";

let opened: Writes;
let { kinds, client, adapter, database, written } = {} as Writes;
beforeAll(async () => {
  opened = await openWrites(inject("postgresUrl"));
  ({ kinds, client, adapter, database, written } = opened);
});
afterAll(() => opened?.close());

/** The result of some work: a row, or the response of an error. */
async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work() };
  } catch (error) {
    const { status, code, message, errors, headers } = error as Record<string, unknown>;
    return { status, code, errors, headers, message: status === 500 ? "" : message };
  }
}

const far = new Date("9999-12-31T23:59:59.999Z");
const values: Readonly<Record<string, readonly unknown[]>> = {
  string: ["", "a", "\u0000", "\ud83c", "🎵", "line\nbreak", 1, null],
  boolean: [true, false, "true", null],
  int: [0, -0, 2147483647, -2147483648, 2147483648, 1.5, "1", null],
  bigInt: [0n, 9223372036854775807n, 9223372036854775808n, 1, 2 ** 53, "1", null],
  float: [0, -0, 0.1 + 0.2, 1e21, 5e-324, 1.7976931348623157e308, 12345678901234567000, Number.NaN, "1", null],
  decimal: [
    "0.10",
    "1e3",
    "99999999999999999999.5",
    1.5,
    1e-7,
    1e25,
    new Decimal("1.50"),
    new Decimal("1e30"),
    "x",
    null,
  ],
  dateTime: [
    new Date(0),
    new Date("2024-02-29T12:30:00.123Z"),
    far,
    new Date("0001-01-01T00:00:00Z"),
    new Date("+012345-01-01T00:00:00Z"),
    new Date("-000001-01-01T00:00:00Z"),
    new Date(Number.NaN),
    "2024-01-01T00:00:00Z",
    "2024",
    null,
  ],
  json: [
    {},
    [],
    1,
    "a",
    false,
    { a: [1, { b: null }] },
    [null],
    1e21,
    1e-9,
    -0,
    0.1,
    100000000000000000000,
    "\u0000",
    "\ud83c",
    { toJSON: () => 1 },
    dbNull,
    jsonNull,
    null,
  ],
  bytes: [new Uint8Array(), new Uint8Array([0, 255]), Buffer.from("abc"), "YWJj", null],
  stage: ["DRAFT", "IN_REVIEW", "in review", "NONE", null],
};

it("C71 stores, returns and rejects a value of any type as Prisma does", async () => {
  const select = selectOf("Scalar");
  const before = written.length;
  let sent = 0;
  for (const [name, list] of Object.entries(values)) {
    for (const value of list) {
      const data = { [name]: value };
      const about = `${name} ${String(typeof value === "object" ? JSON.stringify(value) : value)}`;
      const [one, other] = [
        await outcomeOf(() => kinds.database.of("Scalar").create({ data, select })),
        await outcomeOf(() => database.of("Scalar").create({ data, select })),
      ];
      sent++;
      const id = (outcome: unknown): unknown => (outcome as { value?: { id: unknown } }).value?.id;
      const without = (outcome: unknown): unknown =>
        id(outcome) === undefined ? outcome : { value: { ...(outcome as { value: object }).value, id: 0 } };
      expect(without(other), about).toEqual(without(one));
      if (id(one) === undefined) continue;
      const column = models.get("Scalar")?.fieldsByName.get(name)?.column;
      const rows = await kinds.sql(`SELECT "${column}"::text AS text FROM "Scalar" WHERE id IN ($1, $2)`, [
        id(one),
        id(other),
      ]);
      expect(rows[1], about).toEqual(rows[0]);
      const [first, second] = [
        await outcomeOf(() => kinds.database.of("Scalar").update({ where: { id: id(one) }, data, select })),
        await outcomeOf(() => database.of("Scalar").update({ where: { id: id(other) }, data, select })),
      ];
      expect(without(second), about).toEqual(without(first));
    }
  }
  expect(written.length - before).toBeGreaterThan(sent);
});

const natives: Readonly<Record<string, readonly unknown[]>> = {
  text: ["a", "\ud83c"],
  char: ["ab", "abcd", "abcde", "a   ", ""],
  varChar: ["abcdef", "abcdefg", "abcdef  "],
  uuid: ["6F2C1F0E-6A9E-4A52-9A0E-0D1E4B3F2A11", "6f2c1f0e6a9e4a529a0e0d1e4b3f2a11", "x"],
  boolean: [true],
  integer: [2147483647],
  smallInt: [32767, 32768],
  bigInt: [1n],
  double: [0.1, 1e308],
  real: [0.1, 1e38, 1e39, 16777217, 3.4028235e38],
  decimal: ["1.005", "99999999.99", "99999999.994", "99999999.995", "100000000"],
  timestamp: [new Date("2024-02-29T12:30:00.987Z")],
  timestamptz: [new Date("2024-02-29T12:30:00.987Z"), far],
  date: [new Date("2024-02-29T23:59:59.999Z"), new Date("1969-12-31T23:59:59.999Z")],
  json: [{ b: 1, a: " " }, 1e21, 1e-9, jsonNull, dbNull],
  jsonB: [{ b: 1, a: " " }, 1e21, jsonNull, dbNull],
  byteA: [new Uint8Array([1, 2])],
  money: ["1.50"],
  inet: ["10.0.0.1"],
  bit: ["101"],
  xml: ["<a/>"],
  oid: [1],
  time: [new Date(0)],
};

it("C71 stores values of a native type as Prisma does", async () => {
  for (const [name, list] of Object.entries(natives)) {
    const column = models.get("Native")?.fieldsByName.get(name)?.column;
    for (const value of list) {
      const make = async (to: Database): Promise<unknown> => {
        const outcome = await outcomeOf(() =>
          to.of("Native").create({ data: { [name]: value }, select: { id: true } }),
        );
        const { id } = (outcome as { value?: { id?: unknown } }).value ?? {};
        if (id === undefined) return outcome;
        expect(String(id)).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        const [row] = await kinds.sql(`SELECT "${column}"::text AS text FROM "Native" WHERE id = $1::uuid`, [id]);
        const shown = await kinds.database.of("Native").findUnique({ where: { id }, select: { [name]: true } });
        return { row, shown };
      };
      expect(await make(database), `${name} ${String(value)}`).toEqual(await make(kinds.database));
    }
  }
});

it("C71 later ids of uuid(7) sort after earlier ones", async () => {
  const ids: string[] = [];
  for (let index = 0; index < 50; index++)
    ids.push(String((await database.of("Native").create({ data: {}, select: { id: true } })).id));
  expect([...ids].sort()).toEqual(ids);
});

const author = (email: string): Clause => ({ email, password: "p", updatedAt: new Date(0) });
const shownOfAuthor = { id: true, email: true, karma: true, createdAt: true, updatedAt: true, managerId: true };

it("C71 a create, an update and a delete are one statement each, prepared under one name per set of fields", async () => {
  const before = written.length;
  const authors = database.of("Author");
  const { id, createdAt } = await authors.create({ data: { email: "one@x", password: "p" }, select: shownOfAuthor });
  await authors.update({ where: { id }, data: { karma: 3 }, select: shownOfAuthor });
  const changed = await authors.update({ where: { id }, data: { karma: 4 }, select: shownOfAuthor });
  expect(changed).toMatchObject({ id, karma: 4, email: "one@x", createdAt });
  expect((changed.updatedAt as Date).getTime()).toBeGreaterThanOrEqual((createdAt as Date).getTime());
  expect(await authors.delete({ where: { id }, select: { id: true } })).toEqual({ id });
  const own = written.slice(before);
  expect(own.map((sql) => sql.split(" ")[0])).toEqual(["INSERT", "UPDATE", "UPDATE", "DELETE"]);
  expect(own[1]).toBe(own[2]);
  const prepared = await client.$queryRawUnsafe<{ statement: string }[]>(
    "SELECT statement FROM pg_prepared_statements",
  );
  for (const sql of new Set(own)) expect(prepared.filter(({ statement }) => statement === sql)).toHaveLength(1);
  // The row is found by the index of its key.
  const [plan] = await kinds.sql(`EXPLAIN (FORMAT JSON) ${own[1]?.replaceAll(/\$\d+/g, "NULL")}`);
  expect(JSON.stringify(plan)).toMatch(/"Relation Name":\s*"people"/);
});

it("C71 errors of the database are reported as by Prisma", async () => {
  await kinds.sql(`ALTER TABLE "people" ADD CONSTRAINT kind CHECK (karma >= 0)`);
  await kinds.sql(`ALTER TABLE "Tag" ADD CONSTRAINT short CHECK (length(name) < 50)`);
  const first = await kinds.database.of("Author").create({ data: author("first@x"), select: { id: true } });
  await kinds.database.of("Profile").create({ data: { bio: "b", authorId: first.id }, select: { id: true } });
  const article = { title: "t", slug: "s", language: "de", authorId: first.id };
  await kinds.database.of("Article").create({ data: article, select: { id: true } });
  const acts: readonly ((to: Database) => Promise<unknown>)[] = [
    (to) => to.of("Author").create({ data: author("first@x"), select: { id: true } }),
    (to) =>
      to.of("Author").create({ data: { ...author("n@x"), secret: null, managerId: 99_999 }, select: { id: true } }),
    (to) => to.of("Author").create({ data: { ...author("k@x"), karma: -1 }, select: { id: true } }),
    (to) => to.of("Author").create({ data: author(`${"x".repeat(90)}@x`), select: { id: true } }),
    (to) => to.of("Author").create({ data: { email: "p@x" } as never, select: { id: true } }),
    (to) => to.of("Author").update({ where: { id: first.id }, data: { managerId: 99_999 }, select: { id: true } }),
    (to) => to.of("Author").update({ where: { id: 99_999 }, data: { karma: 1 }, select: { id: true } }),
    (to) => to.of("Author").update({ where: { id: first.id, karma: 77 }, data: { karma: 1 }, select: { id: true } }),
    (to) => to.of("Author").delete({ where: { id: first.id }, select: { id: true } }),
    (to) => to.of("Author").delete({ where: { id: 99_999 }, select: { id: true } }),
    (to) => to.of("Article").create({ data: article, select: { id: true } }),
    (to) => to.of("Article").create({ data: { ...article, slug: "other" }, select: { id: true } }),
    (to) => to.of("Article").create({ data: { ...article, slug: "o", title: "o", authorId: 0 }, select: { id: true } }),
    (to) => to.of("Tag").create({ data: { name: "x".repeat(60) }, select: { name: true } }),
    (to) => to.of("Native").create({ data: { smallInt: 70_000 }, select: { id: true } }),
    (to) => to.of("Posting").create({ data: { articleId: 1n, authorId: 0, place: "p" }, select: { place: true } }),
    (to) => to.of("Author").create({ data: { email: "q@x", nothing: 1 }, select: { id: true } }),
  ];
  for (const [index, act] of acts.entries()) {
    const right = await outcomeOf(() => act(kinds.database));
    expect(await outcomeOf(() => act(database)), `act ${index}`).toEqual(right);
    expect(right, `act ${index}`).toHaveProperty("status");
  }
  await kinds.sql(`ALTER TABLE "people" DROP CONSTRAINT kind; ALTER TABLE "Tag" DROP CONSTRAINT short`);
});

it("C71 a default is created as by Prisma, or by the database", async () => {
  const made = await database
    .of("Preset")
    .create({ data: { id: "given", nano: "n", ulid: "u" }, select: selectOf("Preset") });
  const right = await kinds.database
    .of("Preset")
    .create({ data: { id: "other", nano: "n", ulid: "u" }, select: selectOf("Preset") });
  expect({ ...made, id: "" }).toEqual({ ...right, id: "" });
  const before = written.length;
  const ids = { id: true, nano: true, ulid: true };
  const byUs = [];
  for (let at = 0; at < 20; at++) byUs.push(await database.of("Preset").create({ data: {}, select: ids }));
  expect(written.length - before).toBe(20);
  const forms = { id: /^c[\da-z]{24}$/, nano: /^[\w-]{21}$/, ulid: /^[\dA-HJKMNP-TV-Z]{26}$/ };
  for (const row of [...byUs, await kinds.database.of("Preset").create({ data: {}, select: ids })])
    for (const [name, form] of Object.entries(forms)) expect(String(row[name])).toMatch(form);
  for (const name of Object.keys(forms)) expect(new Set(byUs.map((row) => row[name])).size).toBe(20);
});

it("C71 a write is repeated after a conflict, and if the tables have changed", async () => {
  await kinds.sql(`CREATE SEQUENCE tries; CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF nextval('tries') < 3 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER stumble BEFORE INSERT ON "Tag" FOR EACH ROW EXECUTE FUNCTION stumble()`);
  const before = written.length;
  await expect(database.of("Tag").create({ data: { name: "late" }, select: { name: true } })).resolves.toEqual({
    name: "late",
  });
  expect(written.length - before).toBe(3);
  await kinds.sql(`DROP TRIGGER stumble ON "Tag"; ALTER TABLE "Tag" ALTER COLUMN name TYPE varchar(90)`);
  await expect(database.of("Tag").create({ data: { name: "later" }, select: { name: true } })).resolves.toEqual({
    name: "later",
  });
});

it("C71 a written row is returned as JSON, without hidden fields", async () => {
  const select = Object.freeze(selectOf("Scalar"));
  const { link } = adapter;
  const reads = makeDatabase({ client, models, executor: sqlExecutor({ client, link, models, schema: "public" }) });
  for (const seen of [complete, withoutText]) {
    const shown = async (id: unknown) => {
      const args = { where: { id }, select };
      return jsonOf(await reads.of("Scalar").execute({ operation: "findUnique", args }, seen));
    };
    const alone = (work: (of: Database) => Promise<void>) => work(database);
    for (const [to, datas] of [
      [alone, scalars.slice(0, 100)] as const,
      [database.transaction, scalars.slice(0, 5)] as const,
    ]) {
      for (const data of datas) {
        await to(async (inside) => {
          const rows = inside.of("Scalar");
          const before = written.length;
          const created = await rows.execute({ operation: "create", args: { data, select } }, seen);
          if (!inside.inTransaction) expect(written.length - before).toBe(1);
          const where = { id: keyOf(created).id };
          const read = await rows.findUnique({ where, select });
          expect(Object.keys(keyOf(created))).toEqual(["id"]);
          expect(jsonOf(created).includes('"string"')).toBe(seen === complete);
          if (!inside.inTransaction) expect(jsonOf(created)).toBe(await shown(where.id));
          const args = { where, data: { int: 5 }, select };
          const updated = await rows.execute({ operation: "update", args }, seen);
          expect(JSON.parse(jsonOf(updated))).toEqual({ ...JSON.parse(jsonOf(created)), int: 5 });
          expect(keyOf(updated)).toEqual(where);
          expect(await rows.update({ where, data: { int: 6 }, select })).toEqual({ ...read, int: 6 });
        });
      }
    }
    const args = { where: { id: -1 }, data: { int: 7 }, select };
    await expect(database.of("Scalar").execute({ operation: "update", args }, seen)).rejects.toMatchObject({
      status: 404,
    });
  }
  const byPrisma = kinds.database.of("Scalar");
  const before = await byPrisma.count();
  const args = { data: scalars[0] ?? {}, select };
  expect(await byPrisma.execute({ operation: "create", args }, complete)).toMatchObject({ rows: [{ int: -200 }] });
  expect(await byPrisma.count()).toBe(before + 1);
});

it("C71 a transaction writes over its own connection, and is rolled back completely", async () => {
  const undone = database.transaction(async (inside) => {
    await inside.of("Tag").create({ data: { name: "undone" }, select: { name: true } });
    expect(
      await inside.of("Tag").update({ where: { name: "undone" }, data: { name: "changed" }, select: { name: true } }),
    ).toEqual({ name: "changed" });
    await expect(inside.of("Tag").delete({ where: { name: "undone" }, select: { name: true } })).rejects.toMatchObject({
      status: 404,
    });
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  expect(await database.of("Tag").count({ where: { name: { in: ["undone", "changed"] } } })).toBe(0);
});
