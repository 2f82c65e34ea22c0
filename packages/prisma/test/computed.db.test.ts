import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Clause, type Database, makeDatabase } from "../src/index.js";
import {
  chooseEngine,
  findComputedIssues,
  SqlColumn,
  type SqlExpression,
  sqlTemplate as sql,
} from "../src/internal.js";
import type { ComputedField, ScalarType } from "../src/models/model.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models as kindsModels, openKinds } from "./kinds.js";

const common = {
  isList: false,
  isRequired: false,
  documentation: undefined,
  annotations: { hidden: false, readonly: true, writeonly: false, writable: false, visible: false },
} as const;

function computed(
  name: string,
  needs: readonly string[],
  compute: ComputedField["compute"],
  { type = "String", expression }: { type?: ScalarType; expression?: SqlExpression } = {},
): ComputedField {
  const stored = { isId: false, isUnique: false, isUpdatedAt: false, hasDefault: false, isForeignKey: false } as const;
  const comparable = expression && {
    ...{ ...common, ...stored, kind: "scalar" as const, name, column: name, type, expression },
    ...{ default: undefined, nativeType: undefined },
  };
  return { ...common, kind: "computed", name, column: name, type, schema: {}, needs, compute, comparable };
}

/** The models of the fixture with computed fields. */
function withFields(added: Readonly<Record<string, readonly ComputedField[]>>) {
  return new Map(
    [...kindsModels].map(([name, model]) => {
      const fields = [...model.fields, ...(added[name] ?? [])];
      return [name, { ...model, fields, fieldsByName: new Map(fields.map((field) => [field.name, field])) }];
    }),
  );
}

const [email, karma, createdAt] = ["email_address", "karma", "created_at"].map((name) => new SqlColumn(name));
const models = withFields({
  Author: [
    computed("label", ["email", "karma"], (row) => `${row.email} (${row.karma})`),
    computed("broken", ["email"], () => {
      throw new Error("no label");
    }),
    computed("late", ["email"], async () => {
      throw new Error("too late");
    }),
  ],
  Article: [computed("shout", ["title"], ({ title }) => `${String(title).toUpperCase()}!`)],
  Posting: [computed("constant", [], () => "always")],
});

/** The same, and fields with SQL. */
const comparable = withFields({
  Author: [
    computed("score", ["karma"], (row) => Number(row.karma) * 1.5, {
      type: "Float",
      expression: sql`${karma as SqlColumn} * ${1.5}`,
    }),
    computed("name", ["email"], (row) => `~${String(row.email).split("@")[0]}`, {
      expression: sql`${"~"} || ${sql`split_part(${email as SqlColumn}, '@', 1)`}`,
    }),
    computed("isKnown", ["karma"], (row) => Number(row.karma) > 2, {
      type: "Boolean",
      expression: sql`${karma as SqlColumn} > ${2n} OR ${false}`,
    }),
    computed("nextDay", ["createdAt"], (row) => new Date(Number(row.createdAt) + 86_400_000), {
      type: "DateTime",
      expression: sql`${createdAt as SqlColumn} + interval '1 day'`,
    }),
  ],
});

let kinds: Kinds;
const opened: Database[] = [];

function open(own: typeof models, engine: "auto" | "prisma" = "auto"): { database: Database; client: PrismaClient } {
  const adapter = makePostgresAdapter({ url: kinds.url });
  const client = new PrismaClient({ adapter });
  const choice = chooseEngine({ client, adapter, models: own, schema: "public", engine });
  const database = makeDatabase({ client, models: own, schema: "public", ...choice });
  opened.push(database);
  return { database, client };
}

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.disconnect()));
  await kinds?.close();
});
beforeEach(async () => {
  await kinds.sql('TRUNCATE people, "Article", "Posting" CASCADE');
  await kinds.sql(`INSERT INTO people (id, email_address, password, karma, created_at, "updatedAt", "managerId") VALUES
    (1, 'ann@x', 'p', 3, '2024-01-01', now(), NULL), (2, 'ben@x', 'p', 1, '2024-02-01', now(), 1),
    (3, 'cat@x', 'p', 2, '2024-03-01', now(), 1)`);
  await kinds.sql(`INSERT INTO "Article" (id, title, slug, language, "authorId") VALUES
    (11, 'one', 'a', 'en', 1), (12, 'two', 'b', 'en', 1), (13, 'three', 'c', 'en', 2)`);
  await kinds.sql(`INSERT INTO "Posting" ("articleId", "authorId", place) VALUES (11, 1, 'here')`);
});

describe.each(["auto", "prisma"] as const)("C102 computed fields with the engine %s", (engine) => {
  let database: Database;
  beforeAll(() => {
    ({ database } = open(models, engine));
  });
  const people = () => database.of("Author");
  const byId = [{ id: "asc" }];

  it("are in the rows at their place, without the columns that only they need", async () => {
    const rows = await people().findMany({ select: { label: true, id: true }, orderBy: byId });
    expect(rows.map((row) => Object.entries(row))).toEqual([
      [
        ["label", "ann@x (3)"],
        ["id", 1],
      ],
      [
        ["label", "ben@x (1)"],
        ["id", 2],
      ],
      [
        ["label", "cat@x (2)"],
        ["id", 3],
      ],
    ]);
    expect(await people().findFirst({ select: { email: true, label: true }, orderBy: byId })).toEqual({
      email: "ann@x",
      label: "ann@x (3)",
    });
    expect(await people().findFirst({ select: { email: false, label: true }, orderBy: byId })).toEqual({
      label: "ann@x (3)",
    });
  });

  it("are left out with false, and are not computed", async () => {
    const where = { id: 1 };
    expect(await people().findUnique({ where, select: { id: true, broken: false } })).toEqual({ id: 1 });
    expect(await people().findUnique({ where, select: { label: false, email: false } })).toEqual({});
  });

  it("may need no column", async () => {
    expect(await database.of("Posting").findMany({ select: { constant: true } })).toEqual([{ constant: "always" }]);
  });

  it("are in no row that does not exist, and in no row without a selection", async () => {
    expect(await people().findUnique({ where: { id: 99 }, select: { label: true } })).toBeNull();
    expect(await people().findFirst({ where: { id: 99 }, select: { label: true } })).toBeNull();
    expect(await people().findMany({ where: { id: 99 }, select: { label: true } })).toEqual([]);
    expect(await people().findUnique({ where: { id: 1 } })).not.toHaveProperty("label");
  });

  it("are in the rows of relations", async () => {
    const select = {
      id: true,
      manager: { select: { label: true } },
      articles: { select: { shout: true, author: { select: { label: true } } }, orderBy: byId },
      reports: { select: { id: true }, orderBy: byId },
    } satisfies Clause;
    expect(await people().findMany({ where: { id: { lt: 3 } }, select, orderBy: byId })).toEqual([
      {
        id: 1,
        manager: null,
        articles: [
          { shout: "ONE!", author: { label: "ann@x (3)" } },
          { shout: "TWO!", author: { label: "ann@x (3)" } },
        ],
        reports: [{ id: 2 }, { id: 3 }],
      },
      {
        id: 2,
        manager: { label: "ann@x (3)" },
        articles: [{ shout: "THREE!", author: { label: "ben@x (1)" } }],
        reports: [],
      },
    ]);
  });

  it("are the same for a selection that is used again", async () => {
    const select = Object.freeze({ label: true });
    for (const id of [1, 2, 1])
      expect(await people().findUnique({ where: { id }, select })).toEqual({
        label: id === 1 ? "ann@x (3)" : "ben@x (1)",
      });
  });

  it("are in written rows", async () => {
    const select = { label: true };
    const data = { email: "dan@x", password: "p" };
    expect(await people().create({ data: { ...data, id: 4 }, select })).toEqual({ label: "dan@x (0)" });
    const more = [5, 6].map((id) => ({ id, email: `${id}@x`, password: "p" }));
    expect(await people().createMany({ data: more, select })).toEqual([{ label: "5@x (0)" }, { label: "6@x (0)" }]);
    expect(await people().update({ where: { id: 4 }, data: { karma: 9 }, select })).toEqual({ label: "dan@x (9)" });
    expect(await people().updateMany({ where: { id: { in: [5] } }, data: { karma: 8 }, select })).toEqual([
      { label: "5@x (8)" },
    ]);
    const changes = [{ where: { id: 6 }, data: { karma: 7 } }];
    expect(await people().updateEach({ changes, select })).toMatchObject([{ label: "6@x (7)" }]);
    expect(await people().delete({ where: { id: 4 }, select })).toEqual({ label: "dan@x (9)" });
    expect(await people().execute({ operation: "findMany", args: { where: { id: 5 }, select } })).toEqual({
      rows: [{ label: "5@x (8)" }],
    });
  });

  it("that throw, or return a promise, fail with the name of the field", async () => {
    const read = (name: string) => people().findUnique({ where: { id: 1 }, select: { [name]: true } });
    await expect(read("broken")).rejects.toMatchObject({
      name: "TypeError",
      message: "The computed field broken of Author failed: no label",
      cause: { message: "no label" },
    });
    await expect(read("late")).rejects.toThrow(
      new TypeError("The computed field late of Author returned a promise. Computed fields are synchronous."),
    );
  });
});

describe.each(["auto", "prisma"] as const)("C102 computed fields with SQL and the engine %s", (engine) => {
  let database: Database;
  beforeAll(() => {
    ({ database } = open(comparable, engine));
  });
  const people = () => database.of("Author");
  const idsOf = (rows: readonly { readonly id?: unknown }[]) => rows.map(({ id }) => id);
  const found = async (where: Clause) =>
    idsOf(await people().findMany({ where, select: { id: true }, orderBy: [{ id: "asc" }] }));

  it.each<readonly [Clause, readonly number[]]>([
    [{ score: { gt: 1.5 } }, [1, 3]],
    [{ score: 3 }, [3]],
    [{ NOT: { score: { gte: 3 } } }, [2]],
    [{ name: "~ann" }, [1]],
    [{ name: { contains: "a", mode: "insensitive" } }, [1, 3]],
    [{ isKnown: true }, [1]],
    [{ isKnown: { not: true } }, [2, 3]],
    [{ nextDay: { lt: new Date("2024-02-02T00:00:00.001Z") } }, [1, 2]],
    [{ OR: [{ name: "~ben" }, { AND: [{ id: 3 }, { score: { lt: 4 } }] }] }, [2, 3]],
    [{ manager: { is: { score: { gt: 4 } } } }, [2, 3]],
    [{ reports: { some: { name: "~cat" } } }, [1]],
  ])("filter: %j", async (where, expected) => {
    expect(await found(where)).toEqual(expected);
    expect(await people().count({ where })).toBe(expected.length);
  });

  it("sort, alone and of a related row", async () => {
    const sorted = async (orderBy: readonly Clause[]) =>
      idsOf(await people().findMany({ select: { id: true }, orderBy: [...orderBy] }));
    expect(await sorted([{ score: "desc" }])).toEqual([1, 3, 2]);
    expect(await sorted([{ isKnown: "desc" }, { name: "desc" }])).toEqual([1, 3, 2]);
    expect(await sorted([{ manager: { score: { sort: "asc", nulls: "first" } } }, { id: "desc" }])).toEqual([1, 3, 2]);
  });

  it("have the values of their functions in the rows", async () => {
    const select = { score: true, name: true, isKnown: true, nextDay: true };
    expect(await people().findMany({ where: { score: { gt: 3 } }, select })).toEqual([
      { score: 4.5, name: "~ann", isKnown: true, nextDay: new Date("2024-01-02") },
    ]);
  });

  it("select the rows of writes, outside of a transaction and inside", async () => {
    const raise = { where: { score: { lt: 4 } }, data: { inbox: "x" }, select: { id: true } };
    const sorted = (ids: readonly unknown[]) => [...ids].sort();
    expect(sorted(idsOf(await people().updateMany(raise)))).toEqual([2, 3]);
    expect(sorted(idsOf(await database.transaction((inside) => inside.of("Author").updateMany(raise))))).toEqual([
      2, 3,
    ]);
    expect(await people().updateMany({ ...raise, where: { name: "~zoe" } })).toEqual([]);
    const nested = { AND: [{ NOT: { OR: [{ name: "~ann" }] } }, { manager: { is: { score: { gt: 4 } } } }, { id: 3 }] };
    expect(await people().updateMany({ ...raise, where: nested })).toMatchObject([{ id: 3 }]);
    expect(await people().deleteMany({ where: { name: "~cat" } })).toBe(1);
    expect(await database.transaction((inside) => inside.of("Author").deleteMany({ where: { name: "~cat" } }))).toBe(0);
    expect(await found({})).toEqual([1, 2]);
  });

  it("are not compared with what only Prisma Client can do", async () => {
    const read = people().findMany({ where: { name: "~ann" }, orderBy: [{ articles: { _count: "asc" } }] });
    await expect(read).rejects.toMatchObject({
      status: 400,
      message: "A computed field cannot be combined with the other conditions of this query.",
    });
  });

  it("need the SQL engine", () => {
    const { client } = open(comparable);
    expect(() => makeDatabase({ client, models: comparable })).toThrow(
      "models.Author.computed.score.sql: Remove sql: it needs the SQL engine",
    );
  });

  it("are checked by PostgreSQL, with its messages", async () => {
    const { client } = open(comparable);
    expect(await findComputedIssues(client, comparable, "public")).toEqual([]);
    const text = { type: "Float" as const };
    const wrong = withFields({
      Author: [
        computed("unknown", [], () => 0, { ...text, expression: sql`nothing + ${1}` }),
        computed("typed", [], () => 0, { ...text, expression: sql`${karma as SqlColumn} || ${true}` }),
        computed("right", [], () => 0, { ...text, expression: sql`${karma as SqlColumn} + ${1}` }),
        computed("divided", [], () => 0, { ...text, expression: sql`1 / 0` }),
      ],
    });
    expect(await findComputedIssues(client, wrong, "public")).toMatchObject([
      { model: "Author", field: "unknown", message: expect.stringContaining('"nothing"') },
      { model: "Author", field: "typed", message: expect.stringContaining("integer || boolean") },
      { model: "Author", field: "divided", message: "division by zero" },
    ]);
    expect(await findComputedIssues(client, wrong, "elsewhere")).toEqual([]);
  });
});
