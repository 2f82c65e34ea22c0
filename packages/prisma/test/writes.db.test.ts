import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { prismaExecutor } from "../src/database/prisma-executor.js";
import { makeDatabase, type Row } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(() => kinds.close());

describe("a bulk create", () => {
  it("C14 C59 writes 1,000 rows of 60 columns fifty per statement and returns them in order", async () => {
    await kinds.sql(`
      CREATE SEQUENCE statements;
      CREATE FUNCTION count_statement() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('statements'); RETURN NULL; END $$;
      CREATE TRIGGER counted AFTER INSERT ON "Wide" FOR EACH STATEMENT EXECUTE FUNCTION count_statement();
    `);
    const names = Array.from({ length: 59 }, (_, i) => `c${String(i + 1).padStart(2, "0")}`);
    const data = Array.from({ length: 1000 }, (_, row) => Object.fromEntries(names.map((name) => [name, row])));
    // A busy machine takes longer than the default limit of a transaction.
    const rows = await kinds.database.transaction((inner) => inner.of("Wide").createMany({ data }), {
      timeoutMs: 180_000,
    });
    expect(rows.map((row) => row.c59)).toEqual(data.map((row) => row.c59));
    expect(await kinds.sql(`SELECT last_value::int FROM statements`)).toEqual([{ last_value: 20 }]);
  });

  it("C14 preserves the order of rows with different fields", async () => {
    const data = [{ int: 1 }, { string: "two" }, { int: 3, string: "three" }, {}, { string: "five" }];
    const rows = await kinds.database.of("Scalar").createMany({ data, select: { int: true, string: true } });
    expect(rows).toEqual(data.map((row) => ({ int: null, string: null, ...row })));
  });

  it("writes all or nothing", async () => {
    const tags = kinds.database.of("Tag");
    await expect(tags.createMany({ data: [{ name: "one" }, { name: "one" }] })).rejects.toMatchObject({ status: 409 });
    await expect(tags.count()).resolves.toBe(0);
    await expect(tags.createMany({ data: [] })).resolves.toEqual([]);
  });
});

describe("an empty condition never means every row", () => {
  const everything: readonly object[] = [
    {},
    { AND: [] },
    { AND: {} },
    { AND: [{}, { AND: [] }] },
    { NOT: {} },
    { NOT: [] },
    { OR: [{}] },
    { OR: [{ int: 1 }, {}] },
    { int: {} },
    { int: { notIn: [] } },
    { string: { mode: "insensitive" } },
  ];

  it.each(everything)("%j is rejected for writes of several rows, unless everything is set", async (where) => {
    const scalars = kinds.database.of("Scalar");
    const before = await scalars.count();
    expect(before).toBeGreaterThan(0);
    await expect(scalars.deleteMany({ where: { ...where } })).rejects.toThrow(TypeError);
    await expect(scalars.updateMany({ where: { ...where }, data: { int: 9 } })).rejects.toThrow(TypeError);
    if (!("OR" in where)) await expect(scalars.count({ where: { ...where } })).resolves.toBe(before);
    await expect(scalars.count({ where: { int: 9 } })).resolves.toBe(0);
  });

  it("a condition that matches no row, or identifies one, is accepted", async () => {
    const scalars = kinds.database.of("Scalar");
    for (const where of [{ OR: [] }, { int: { in: [] } }, { int: null, string: "no" }, { id: 0 }]) {
      await expect(scalars.deleteMany({ where })).resolves.toBe(0);
    }
  });

  it("undefined is a bug of the caller, anywhere", async () => {
    const scalars = kinds.database.of("Scalar");
    const calls: readonly (() => Promise<unknown>)[] = [
      () => scalars.deleteMany({ where: { id: undefined } }),
      () => scalars.deleteMany({} as never),
      () => scalars.deleteMany({ where: undefined } as never),
      () => scalars.updateMany({ where: { OR: [{ id: undefined }] }, data: { int: 1 } }),
      () => scalars.updateMany({ where: { id: 1 }, data: { int: undefined } }),
      () => scalars.create({ data: { int: undefined } }),
      () => scalars.update({ where: { id: 1 }, data: { int: { set: undefined } } }),
      () => scalars.findFirst({ where: { id: undefined } }),
      () => scalars.findMany({ where: { AND: [{ int: { equals: undefined } }] } }),
      () => scalars.count({ where: { id: undefined } }),
      () => scalars.findUnique({ where: { id: undefined } }),
      () => scalars.delete({ where: { id: undefined } }),
    ];
    const before = await scalars.count();
    for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
    await expect(scalars.count()).resolves.toBe(before);
  });

  it("everything: true writes every row", async () => {
    const scalars = kinds.database.of("Scalar");
    const all = await scalars.count();
    await expect(scalars.updateMany({ where: {}, data: { int: 5 }, everything: true })).resolves.toHaveLength(all);
    await expect(scalars.deleteMany({ where: {}, everything: true })).resolves.toBe(all);
  });
});

describe("hostile arguments", () => {
  it.each([
    { string: { equals: { _ref: "bytes", _container: "Scalar" } } },
    JSON.parse('{"__proto__": {"id": 1}}'),
    JSON.parse('{"AND": [{"__proto__": {"id": 1}}]}'),
  ])("%j is 400", async (where) => {
    await expect(kinds.database.of("Scalar").findMany({ where })).rejects.toMatchObject({ status: 400 });
    await expect(kinds.database.of("Scalar").deleteMany({ where })).rejects.toMatchObject({ status: 400 });
  });

  it("unlimited depth is 400, without overflow", async () => {
    let where: Record<string, unknown> = { int: 1 };
    for (let i = 0; i < 100_000; i++) where = { NOT: where };
    const scalars = kinds.database.of("Scalar");
    await expect(scalars.findMany({ where })).rejects.toMatchObject({ status: 400, code: "TooDeep" });
    await expect(scalars.deleteMany({ where })).rejects.toMatchObject({ status: 400, code: "TooDeep" });
    await expect(scalars.create({ data: { json: where } })).rejects.toMatchObject({ status: 400, code: "TooDeep" });
  });
});

describe("reads", () => {
  it("go through the executor, in transactions through a separate one", async () => {
    const client = new PrismaClient({ adapter: makePostgresAdapter({ url: kinds.url }) });
    const seen: string[] = [];
    const made: object[] = [];
    const database = makeDatabase({
      client,
      models,
      executor: (handle) => {
        made.push(handle);
        const prisma = prismaExecutor(handle);
        return {
          prepare: (model, query) => {
            if (query.operation !== "findMany") return prisma.prepare(model, query);
            return async () => {
              seen.push(model.name);
              return { rows: [{ from: "elsewhere" }] };
            };
          },
        };
      },
    });
    await expect(database.of("Tag").findMany()).resolves.toEqual([{ from: "elsewhere" }]);
    await database.transaction(async (inner) => {
      await expect(inner.of("Tag").findMany()).resolves.toEqual([{ from: "elsewhere" }]);
      await inner.of("Tag").create({ data: { name: "inside" } });
      await expect(inner.of("Tag").count()).resolves.toBe(1);
      await expect(database.of("Tag").count()).resolves.toBe(0);
    });
    expect(seen).toEqual(["Tag", "Tag"]);
    expect(new Set(made).size).toBe(2);
    await database.of("Tag").deleteMany({ where: { name: "inside" } });
    await database.disconnect();
  });

  it("find a row by a composite id, a named key and a unique field", async () => {
    const { database } = kinds;
    const author = await database.of("Author").create({
      data: { email: "key@x", password: "p", articles: { create: { title: "t", slug: "s", language: "en" } } },
      include: { articles: true },
    });
    const [article] = author.articles as Row[];
    await database.of("Posting").create({ data: { articleId: article?.id, authorId: author.id, place: "here" } });
    await database.of("Seat").createMany({ data: [] });
    const byKey = async (model: string, name: string | undefined, value: unknown) =>
      database.of(model).findUnique({ where: { [name ?? expect.fail()]: value } });
    const key = models.get("Posting")?.key?.name;
    await expect(byKey("Posting", key, { articleId: article?.id, authorId: author.id })).resolves.toMatchObject({
      place: "here",
    });
    await expect(byKey("Article", "work", { authorId: author.id, title: "t" })).resolves.toMatchObject({ slug: "s" });
    await expect(byKey("Author", "email", "key@x")).resolves.toMatchObject({ id: author.id });
  });
});

it("accept every unique key for Prisma, and its constraint has its name", async () => {
  const names = new Set((await kinds.sql(`SELECT indexname FROM pg_indexes`)).map((row) => row.indexname));
  for (const model of models.values()) {
    for (const key of model.isView ? [] : model.uniqueKeys) {
      expect(names, model.name).toContain(key.constraint);
      const samples: Record<string, unknown> = { String: "x", Int: 1, BigInt: 1n, DateTime: new Date(0) };
      const values = key.fields.map((field) => [
        field.name,
        field.nativeType?.name === "Uuid" ? "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11" : samples[field.type],
      ]);
      const [first] = values;
      const value = values.length === 1 ? first?.[1] : Object.fromEntries(values);
      const found = kinds.database.of(model).findUnique({ where: { [key.name]: value } });
      await expect(found).resolves.toBeDefined();
    }
  }
});

it("report an unknown model and a client of another schema", () => {
  expect(() => kinds.database.of("Nobody")).toThrow(/Unknown model Nobody/);
  const client = {
    $transaction: () => expect.fail(),
    $queryRawUnsafe: () => expect.fail(),
    $disconnect: () => expect.fail(),
  };
  expect(() => makeDatabase({ client, models })).toThrow(/model Author: the Prisma client has no author/);
});
