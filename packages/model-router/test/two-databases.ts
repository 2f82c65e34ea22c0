import { operatorsOf, type StoredField } from "@servicekit/prisma";
import fc from "fast-check";
import { z } from "zod";
import type { ModelConfig } from "../src/index.js";
import type { World } from "./guarded.js";
import { shelfModels } from "./shelf.js";

/** Data of the library; each database may have its own values in some places. */
export interface Differing {
  /** Values of fields that no caller may see. */
  readonly secret: string;
  readonly score: string;
  readonly subtitle: string;
  readonly writer: string;
  readonly share: string;
  /** SQL of rows that no caller may see, run at the end. */
  readonly outside: readonly string[];
}

/**
 * Computed fields for queries by name: of values that every caller may see, of values that some may see, and of both; a
 * field of the schema has the same name as none of them.
 */
export const computedFields = {
  Book: {
    heading: { type: z.string(), needs: ["title", "pages"], compute: ({ title, pages }) => `${title} (${pages})` },
    review: { type: z.string(), needs: ["title", "score"], compute: ({ title, score }) => `${title} ${score}` },
    spine: { type: z.string().nullable(), needs: ["subtitle"], compute: ({ subtitle }) => subtitle as string | null },
  },
  Writer: { initial: { type: z.string(), needs: ["name"], compute: ({ name }) => String(name).slice(0, 1) } },
  Publisher: { sign: { type: z.string(), needs: ["name"], compute: ({ name }) => `Verlag ${name}` } },
} satisfies Readonly<Record<string, NonNullable<ModelConfig["computed"]>>>;

/** The names of the relations in queries. */
const models = ["Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment"] as const;

export const paths: Readonly<Record<string, string>> = {
  Publisher: "publishers",
  Book: "books",
  Cover: "covers",
  Tag: "tags",
  Writer: "writers",
  Authorship: "authorships",
  Payment: "payments",
};

export async function seedWorld(database: World, { secret, score, subtitle, writer, share, outside }: Differing) {
  await database.sql(`INSERT INTO "Publisher" (id, "full name", city, secret) VALUES
    (1, 'Alpha', 'Bern', '${secret}1'), (2, 'Beta', NULL, '${secret}2'), (3, 'Gamma', 'Rome', '${secret}3')`);
  await database.sql(`INSERT INTO "Book"
    (id, title, subtitle, isbn, pages, score, price, "publishedAt", size, "publisherId", "seriesOf", "updatedAt") VALUES
    (1, 'One', ${subtitle}, 'i1', 100, ${score}, 10.00, '2001-01-01', 'a small one', 1, NULL, now()),
    (2, 'Two', 'a', 'i2', 200, 2, NULL, '2002-01-01', 'MEDIUM', 1, 1, now()),
    (3, 'Three', ${subtitle}, NULL, NULL, 3.5, 12.50, NULL, 'XL', 2, 1, now()),
    (4, 'four', 'b', 'i4', 400, ${score}, 0, '2004-01-01', NULL, NULL, 2, now()),
    (5, 'FIVE', '100%', 'i5', 500, -1, 99.99, '1999-12-31', 'XL', 3, NULL, now()),
    (6, 'One', 'x', NULL, 100, 0, 10.00, NULL, NULL, 1, NULL, now())`);
  await database.sql(`INSERT INTO "Cover" (id, color, "bookId") VALUES
    ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11', 'red', 1), ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12', 'blue', 2),
    ('6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a13', 'red', 5)`);
  await database.sql(`INSERT INTO "Tag" (name) VALUES ('a'), ('b'), ('c')`);
  await database.sql(`INSERT INTO "_BookToTag" ("A", "B") VALUES (1, 'a'), (1, 'b'), (2, 'a'), (3, 'b'), (5, 'c')`);
  await database.sql(`INSERT INTO "Writer" (id, name) VALUES (1, '${writer}Ann'), (2, '${writer}Bob'), (3, 'Cid')`);
  await database.sql(`INSERT INTO "Authorship" ("bookId", "writerId", share) VALUES
    (1, 1, 100), (2, 1, ${share}), (2, 2, 50), (3, 2, ${share}), (4, 3, 100)`);
  await database.sql(`INSERT INTO "Payment" (id, amount, "bookId", "writerId") VALUES
    (1, 5.00, 1, 1), (2, 7.50, 2, 1), (3, 9.99, 2, 2), (4, 100, 4, 3)`);
  for (const statement of outside) await database.sql(statement);
  await database.sql(`SELECT setval(pg_get_serial_sequence('"Book"', 'id'), 1000),
    setval(pg_get_serial_sequence('"Publisher"', 'id'), 1000),
    setval(pg_get_serial_sequence('"Writer"', 'id'), 1000), setval(pg_get_serial_sequence('"Payment"', 'id'), 1000)`);
}

const operators = [
  ..."equals not in notIn lt lte gt gte contains startsWith endsWith icontains istartsWith iendsWith iequals isNull".split(
    " ",
  ),
];
const values = fc.constantFrom(
  ..."1 2 3 5 50 77 100 a b x One Two Alpha Beta Gamma Omega Bern Rome Ann Bob Cid Xavier red blue i1 i2 true false null MEDIUM LARGE XL s t s1 t1 1.5 10 7.5 % _ A".split(
    " ",
  ),
  "1,2,3",
  "a,b",
  "2001-01-01",
  "s,null",
);

/** A notation of a name: with underscores, brackets or dots, or all of them. */
const spellings = fc.constantFrom(
  (segments: readonly string[]) => segments.join("__"),
  (segments: readonly string[]) => segments.join("__"),
  ([first = "", ...rest]: readonly string[]) => first + rest.map((segment) => `[${segment}]`).join(""),
  (segments: readonly string[]) => segments.join("."),
  ([first = "", ...rest]: readonly string[]) =>
    first + rest.map((segment, index) => (index % 2 === 0 ? `__${segment}` : `[${segment}]`)).join(""),
);

/** The names of fields and relations from a model on, at most three relations deep; including hidden ones. */
function walk(model: string, hops: number): fc.Arbitrary<readonly string[]> {
  const fields = shelfModels.get(model)?.fields ?? [];
  const computed = Object.keys((computedFields as Readonly<Record<string, object>>)[model] ?? {});
  const names = [...fields.filter(({ kind }) => kind !== "relation").map(({ name }) => name), ...computed];
  const stored = fc.constantFrom(...names.map((name) => [name]));
  const relations = fields.filter((field) => field.kind === "relation");
  if (hops === 0 || relations.length === 0) return stored;
  const related = fc
    .constantFrom(...relations)
    .chain((field) =>
      fc
        .tuple(
          fc.constantFrom(undefined, ...(field.isList ? ["some", "every", "none"] : ["is", "isNot"])),
          walk(field.type, hops - 1),
        )
        .map(([word, rest]) => [field.name, ...(word === undefined ? [] : [word]), ...rest]),
    );
  const emptiness = fc.constantFrom(
    ...relations.flatMap(({ name, isList }) =>
      isList ? [] : [[name, "isNull"], [name, "is"], [name, "isNot"], [name]],
    ),
    ["nope"],
  );
  return fc.oneof(
    { weight: 2, arbitrary: stored },
    { weight: 4, arbitrary: related },
    { weight: 1, arbitrary: emptiness },
  );
}

const wrappers = fc.constantFrom<readonly string[]>(
  [],
  [],
  ["or", "0"],
  ["or", "1"],
  ["and", "0"],
  ["not"],
  ["not", "0"],
  ["not", "or", "0"],
  ["or", "0", "not"],
  ["and", "0", "or", "1"],
);

/** Values of the field's type, and some invalid ones. */
function valuesOf(field: StoredField | undefined): fc.Arbitrary<string> {
  const fitting: Readonly<Record<string, readonly string[]>> = {
    Int: ["1", "2", "3", "4", "5", "7", "50", "60", "100", "400", "700"],
    Float: ["1.5", "2", "-1", "0", "3.5"],
    Decimal: ["0", "5", "10", "12.5", "99.99", "7.5"],
    DateTime: ["2001-01-01", "2004-01-01"],
    Size: ["SMALL", "MEDIUM", "XL"],
    BigInt: ["1", "2", "5"],
  };
  const own = fitting[field?.type ?? ""];
  if (own === undefined) return values;
  return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: values });
}

function fieldAt(model: string, names: readonly string[]): StoredField | undefined {
  let at = shelfModels.get(model);
  for (const name of names) {
    const field = at?.fieldsByName.get(name);
    if (field?.kind === "relation") at = shelfModels.get(field.type);
    else if (field?.kind === "scalar" || field?.kind === "enum") return field;
  }
  return undefined;
}

/** Mostly a valid filter. */
const filterOf = (model: string): fc.Arbitrary<string> =>
  walk(model, 3).chain((names) => {
    const field = fieldAt(model, names);
    const fitting = field === undefined ? operators : [...operatorsOf(field)];
    const operator = fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 8, arbitrary: fc.constantFrom(...fitting) },
      { weight: 1, arbitrary: fc.constantFrom(...operators) },
    );
    const last = names.at(-1);
    const matchesNull = last === "isNull";
    const isEmpty = last === "is" || last === "isNot";
    return fc
      .tuple(wrappers, operator, valuesOf(field), fc.boolean(), spellings)
      .map(([wrapper, word, value, flag, spell]) => {
        const own = word === undefined || matchesNull || isEmpty ? [] : [word];
        const operand = matchesNull || word === "isNull" ? String(flag) : isEmpty ? "null" : value;
        return `${spell([...wrapper, ...names, ...own])}=${encodeURIComponent(operand)}`;
      });
  });

const toOnePath = (model: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom("", "-"), walk(model, 2))
    .map(([sign, names]) => sign + names.filter((name) => !/^(is|isNot|some|every|none|isNull)$/.test(name)).join("."));

const includePath = (model: string): fc.Arbitrary<string> =>
  walk(model, 3).map((names) => {
    const cached = names.filter((name) => !/^(is|isNot|some|every|none|isNull)$/.test(name));
    return (cached.length > 1 ? cached.slice(0, -1) : cached).slice(0, 3).join(".");
  });

const parameterOf = (model: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: includePath(model).map((one) => `include=${one}`) },
    { weight: 1, arbitrary: fc.tuple(includePath(model), includePath(model)).map((all) => `include=${all.join(",")}`) },
    { weight: 2, arbitrary: toOnePath(model).map((one) => `sort=${one}`) },
    { weight: 1, arbitrary: values.map((value) => `search=${encodeURIComponent(value)}`) },
    { weight: 1, arbitrary: walk(model, 0).map(([name]) => `fields=${name}`) },
    { weight: 1, arbitrary: walk(model, 0).map(([name]) => `fields=-${name}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("cursor=&limit=1", "cursor=&limit=2", "limit=2", "limit=1&page=2", "count=false"),
    },
  );

/** The query of a list: filters, and optional parameters. */
const queryOf = (model: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(filterOf(model), { maxLength: 2 }),
      fc.uniqueArray(parameterOf(model), { maxLength: 2, selector: (one) => one.split("=")[0] }),
    )
    .map(([filters, parameters]) => [...filters, ...parameters].join("&"));

const keys: Readonly<Record<string, readonly string[]>> = {
  Publisher: ["1", "2", "3", "4", "77"],
  Book: ["1", "2", "3", "4", "5", "6", "7", "8", "77"],
  Cover: ["6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11", "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12"],
  Tag: ["a", "b", "c", "z"],
  Writer: ["1", "2", "3", "4", "77"],
  Authorship: ["1,1", "2,1", "2,2", "3,2", "4,3", "1,4"],
  Payment: ["1", "2", "3", "4", "5"],
};

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A read, mostly of a list. */
export const reads: fc.Arbitrary<Asked> = fc.constantFrom(...models, "Book", "Book").chain((model) =>
  fc.oneof(
    { weight: 6, arbitrary: queryOf(model).map((query) => ({ method: "GET", path: `/${paths[model]}?${query}` })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...(keys[model] ?? [])), parameterOf(model))
        .map(([key, parameter]) => ({ method: "GET", path: `/${paths[model]}/${key}?${parameter}` })),
    },
  ),
);

const changes: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Publisher: fc.constantFrom({ name: "Alpha" }, { name: "New" }, { secret: "s1" }, { city: "Bern" }, { books: [] }),
  Book: fc.constantFrom<unknown>(
    { pages: 7 },
    { isbn: "i1" },
    { title: "T" },
    { subtitle: "S" },
    { score: 1 },
    { publisherId: 2 },
    { publisherId: 77 },
    { publisherId: 3 },
    { publisher: { id: 3 } },
    { publisher: { id: 77 } },
    { price: 0.01 },
    { tags: [{ name: "z" }] },
  ),
  Cover: fc.constantFrom({ color: "red" }, { color: "blue" }, { bookId: 4 }, { bookId: 77 }),
  Tag: fc.constantFrom({ name: "a" }, {}),
  Writer: fc.constantFrom({ name: "Ann" }, { name: "Y" }),
  Authorship: fc.constantFrom({ share: 50 }, { share: 10 }, { writerId: 4 }, { writerId: 77 }),
  Payment: fc.constantFrom({ amount: 3 }, { writerId: 4 }, { bookId: 77, writerId: 1 }),
};

/** New rows, and some whose unique values are taken by rows that every caller may see. */
const creations: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Publisher: fc.constantFrom({ name: "Alpha", city: "Bern" }, { name: "Q", city: "Bern" }, { name: "R", secret: "s1" }),
  Book: fc.constantFrom<unknown>(
    { title: "N", pages: 1 },
    { title: "N", pages: 1, isbn: "i1" },
    { title: "N", pages: 900 },
    { title: "N", pages: 1, publisherId: 3 },
    { title: "N", score: 1 },
  ),
  Tag: fc.constantFrom({ name: "a" }, { name: "new" }),
  Writer: fc.constantFrom({ name: "Ann" }),
  Authorship: fc.constantFrom(
    { bookId: 1, writerId: 1 },
    { bookId: 77, writerId: 1, share: 50 },
    { bookId: 1, writerId: 4 },
  ),
};

/** A write; each gets the same response, or changes both databases equally. */
export const writes: fc.Arbitrary<Asked> = fc.constantFrom(...models, "Book", "Book").chain((model) => {
  const list = `/${paths[model]}`;
  const key = fc.constantFrom(...(keys[model] ?? []));
  const change = changes[model] ?? fc.constant({});
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(filterOf(model), change)
        .map(([filter, body]) => ({ method: "PATCH", path: `${list}/many?${filter}`, body })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(key, change).map(([one, body]) => ({ method: "PATCH", path: `${list}/${one}`, body })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.uniqueArray(key, { minLength: 1, maxLength: 2 }), change).map(([some, body]) => ({
        method: "PATCH",
        path: `${list}/many`,
        body: some.map((id) => ({ ...(body as object), id })),
      })),
    },
    ...(creations[model] === undefined
      ? []
      : [{ weight: 2, arbitrary: creations[model].map((body) => ({ method: "POST", path: list, body })) }]),
    {
      weight: 1,
      arbitrary: filterOf(model).map((filter) => ({ method: "DELETE", path: `${list}/many?${filter}&nope=1` })),
    },
    { weight: 1, arbitrary: fc.constant({ method: "DELETE", path: `${list}/many`, body: { ids: ["77", "88"] } }) },
  );
});
