import type { Model, RelationField, StoredField } from "@servicekit/prisma";
import {
  allOf,
  anyOf,
  condition,
  type Filter,
  notOf,
  type Quantifier,
  related,
  toWhere,
} from "@servicekit/prisma/internal";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { certain } from "../src/resource/filter/certain.js";
import { guard } from "../src/resource/filter/guard.js";
import { evaluate, type World, type WorldRow } from "./evaluate-filter.js";
import { type Shelf, shelfModels, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());

const models = shelfModels;
const modelOf = (name: string): Model => models.get(name) as Model;
const names = ["Book", "Publisher", "Cover", "Tag", "Writer", "Authorship"] as const;

const texts = ["a", "A", "ab", "b%", "_", "\\", ""];
const values: Readonly<Record<string, readonly unknown[]>> = {
  title: texts,
  subtitle: texts,
  city: texts,
  color: texts,
  pages: [1, 2, 3],
  share: [1, 2, 3],
  score: [-1, 0.5, 2],
  publishedAt: [new Date("2001-01-01T00:00:00.000Z"), new Date("2002-01-01T00:00:00.000Z")],
  size: ["SMALL", "MEDIUM", "LARGE"],
};
const isText = (field: StoredField): boolean => field.type === "String" && field.kind === "scalar";

/** A condition on one of the fields that the databases differ in. */
function conditionOf(field: StoredField): fc.Arbitrary<Filter> {
  const one = fc.constantFrom(...(values[field.name] ?? []));
  const many = fc.array(one, { minLength: 1, maxLength: 3 });
  const orders = isText(field) || field.kind === "enum" ? [] : ["lt", "lte", "gt", "gte"];
  const inside = isText(field)
    ? ["contains", "startsWith", "endsWith", "icontains", "istartsWith", "iendsWith", "iequals"]
    : [];
  const ways = [
    fc.tuple(fc.constantFrom("equals", "not", ...orders, ...inside), one),
    fc.tuple(fc.constantFrom("in", "notIn"), many),
    ...(field.isRequired ? [] : [fc.tuple(fc.constant("isNull"), fc.boolean())]),
  ];
  return fc.oneof(...ways).map(([operator, operand]) => condition(field, operator, operand));
}

/** Any filter on a model, some relations deep. */
function filterOf(model: Model, depth: number): fc.Arbitrary<Filter> {
  const fields = model.fields.filter(
    (field): field is StoredField => field.name in values && field.kind !== "relation",
  );
  const relations = model.fields.filter(
    (field): field is RelationField => field.kind === "relation" && (names as readonly string[]).includes(field.type),
  );
  const leaves = fields.map(conditionOf);
  if (depth > 0) {
    for (const field of relations) {
      const words: readonly Quantifier[] = field.isList ? ["some", "every", "none"] : ["is", "isNot"];
      const inner = filterOf(modelOf(field.type), depth - 1);
      leaves.push(fc.tuple(fc.constantFrom(...words), inner).map(([word, filter]) => related(field, word, filter)));
      if (!field.isList && !field.isRequired)
        leaves.push(fc.constantFrom("is", "isNot").map((word) => related(field, word as Quantifier, null)));
    }
  }
  const leaf = leaves.length === 0 ? fc.constantFrom(allOf([]), anyOf([])) : fc.oneof(...leaves);
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.array(tie("filter"), { maxLength: 3 }).map(allOf) },
      { weight: 1, arbitrary: fc.array(tie("filter"), { maxLength: 3 }).map(anyOf) },
      { weight: 1, arbitrary: tie("filter").map(notOf) },
    ),
  }));
  return filter;
}

const pick = (name: string): fc.Arbitrary<unknown> => fc.constantFrom(...(values[name] ?? []));
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { freq: 2 });
const subset = <T>(of: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...of]);
const ids = [1, 2, 3, 4, 5];
const tagNames = ["x", "y", "z"];

/** A small library, with NULLs and missing rows in every place that has room for one. */
const anyWorld: fc.Arbitrary<World> = fc
  .record({
    publishers: fc.tuple(
      ...[1, 2].map((id) => fc.record({ id: fc.constant(id), name: fc.constant(`p${id}`), city: maybe(pick("city")) })),
    ),
    books: fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          title: pick("title"),
          subtitle: maybe(pick("subtitle")),
          pages: maybe(pick("pages")),
          score: maybe(pick("score")),
          publishedAt: maybe(pick("publishedAt")),
          size: maybe(pick("size")),
          publisherId: maybe(fc.constantFrom(1, 2)),
          seriesOf: maybe(fc.constantFrom(...ids)),
        }),
      ),
    ),
    covered: subset(ids),
    colors: fc.tuple(...ids.map(() => pick("color"))),
    tagged: subset(ids.flatMap((id) => tagNames.map((name) => [id, name] as const))),
    written: subset(ids.flatMap((id) => [1, 2].map((writer) => [id, writer] as const))),
    shares: fc.tuple(...Array.from({ length: 10 }, () => pick("share"))),
  })
  .map(({ publishers, books, covered, colors, tagged, written, shares }) => ({
    rows: {
      Publisher: publishers,
      Book: books,
      Cover: covered.map((bookId, index) => ({
        id: `00000000-0000-4000-8000-00000000000${bookId}`,
        bookId,
        color: colors[index],
      })),
      Tag: tagNames.map((name) => ({ name })),
      Writer: [1, 2].map((id) => ({ id, name: `w${id}` })),
      Authorship: written.map(([bookId, writerId], index) => ({ bookId, writerId, share: shares[index] })),
    },
    links: {
      "Book.tags": tagged,
      "Tag.books": tagged.map(([id, name]) => [name, id] as const),
    },
  }));

async function store({ rows, links }: World): Promise<void> {
  await shelf.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "_BookToTag"));
  const insert = async (model: Model): Promise<void> => {
    const data = rows[model.name] ?? [];
    const later = data.map((row) => ({ ...row, ...(model.name === "Book" ? { seriesOf: null } : {}) }));
    if (data.length > 0) await shelf.database.of(model).createMany({ data: later, select: keySelect(model) });
  };
  for (const name of ["Publisher", "Book", "Cover", "Tag", "Writer", "Authorship"]) await insert(modelOf(name));
  for (const { id, seriesOf } of rows.Book ?? []) {
    await shelf.sql(`UPDATE "Book" SET "seriesOf" = $1 WHERE id = $2`, seriesOf, id);
  }
  for (const [id, name] of links["Book.tags"] ?? []) {
    await shelf.sql(`INSERT INTO "_BookToTag" ("A", "B") VALUES ($1, $2)`, id, name);
  }
}

const keySelect = (model: Model) => Object.fromEntries((model.key?.fields ?? []).map(({ name }) => [name, true]));

const keyText = (model: Model, row: WorldRow): string =>
  JSON.stringify((model.key?.fields ?? []).map(({ name }) => row[name]));

const anyQuestion = fc
  .constantFrom(...names)
  .chain((name) => filterOf(modelOf(name), 2).map((filter) => ({ model: modelOf(name), filter })));

/** Times 25 filters. `FILTER_RUNS=200` looks longer. */
const runs = Number(process.env.FILTER_RUNS ?? 8);

it("PostgreSQL finds the same rows for a filter as an evaluation in JavaScript", async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, fc.array(anyQuestion, { minLength: 25, maxLength: 25 }), async (database, questions) => {
      await store(database);
      for (const { model, filter } of questions) {
        const rows = database.rows[model.name] ?? [];
        const expected = rows.filter((row) => evaluate(filter, row, model, models, database) === true);
        const where = toWhere(filter, model);
        const found = await shelf.database.of(model).findMany({ where, select: keySelect(model) });
        const reported = JSON.stringify(where);
        expect([reported, found.map((row) => keyText(model, row)).sort()]).toEqual([
          reported,
          expected.map((row) => keyText(model, row)).sort(),
        ]);
      }
    }),
    { numRuns: runs },
  );
}, 240_000);

it("a certain filter is never unknown, and true for the same rows", () => {
  fc.assert(
    fc.property(anyWorld, anyQuestion, (database, { model, filter }) => {
      const reported = certain(filter);
      for (const row of database.rows[model.name] ?? []) {
        const response = evaluate(filter, row, model, models, database) === true;
        expect(reported && evaluate(reported, row, model, models, database)).toBe(response);
      }
    }),
    { numRuns: runs * 50 },
  );
});

it("C30 a guarded filter matches the same rows as the filter in a database without the forbidden rows", async () => {
  const anyRules = fc.record(Object.fromEntries(names.map((name) => [name, fc.option(filterOf(modelOf(name), 1))])));
  await fc.assert(
    fc.asyncProperty(anyWorld, anyRules, anyQuestion, async (database, rules, { model, filter }) => {
      const guarded = await guard(filter, (name) => rules[name as keyof typeof rules] ?? undefined);
      const isOpen = (name: string, row: WorldRow): boolean => {
        const rule = rules[name as keyof typeof rules] ?? undefined;
        return rule === undefined || evaluate(rule, row, modelOf(name), models, database) === true;
      };
      const open: World = {
        rows: Object.fromEntries(
          Object.entries(database.rows).map(([name, rows]) => [name, rows.filter((row) => isOpen(name, row))]),
        ),
        links: database.links,
      };
      for (const row of database.rows[model.name] ?? []) {
        const expected = evaluate(filter, row, model, models, open) === true;
        expect(evaluate(guarded, row, model, models, database) === true).toBe(expected);
      }
    }),
    { numRuns: runs * 50 },
  );
});
