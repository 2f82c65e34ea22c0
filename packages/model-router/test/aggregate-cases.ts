import { isDeepStrictEqual } from "node:util";
import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import fc from "fast-check";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

/** Books whose rows and fields depend on the caller, with aggregates that SQL runs and lists that Prisma Client runs. */
export interface AggregateWorld {
  readonly world: World;
  readonly guarded: Guarded;
}

const isEditor = (request: Request): boolean => callerOf(request)?.roles.includes("editor") === true;
const bookFields = "id title pages price publishedAt size publisherId publisher sequel prequels tags createdAt".split(
  " ",
);

export async function makeAggregateWorld(serverUrl: string): Promise<AggregateWorld> {
  const world = await makeWorld(serverUrl, (client, models) => {
    const adapter = adapterOf(client);
    const makeSql = sqlExecutor({ client, link: adapter.link, models, schema: "public" });
    return {
      executor: (handle) => {
        const [sql, prisma] = [makeSql(handle), prismaExecutor(handle)];
        return {
          prepare: (model, query) => (query.operation === "aggregate" ? sql : prisma).prepare(model, query),
        };
      },
    };
  });
  const guarded = await world.serve(
    {
      models: {
        Book: {
          aggregate: true,
          auth: {
            read: false,
            where: (request) => isEditor(request) || { OR: [{ pages: { lt: 300 } }, { size: "LARGE" }] },
            fields: { "*": bookFields, editor: [...bookFields, "score"] },
          },
        },
        Publisher: {
          auth: {
            read: ["reader", "editor"],
            where: (request) => isEditor(request) || { city: "Bern" },
            fields: { "*": ["id", "name"], editor: ["id", "name", "city", "books"] },
          },
        },
        Tag: { auth: { read: false } },
      },
    },
    true,
  );
  return { world, guarded };
}

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { freq: 3 });
/** Around the ends of days, months and years, and the changes of the clock, in some time zone. */
const moment = fc
  .tuple(
    fc.constantFrom("2024-12-31", "2025-01-01", "2025-03-30", "2025-06-30", "2025-10-26", "2026-02-28"),
    fc.constantFrom("00:00:00", "00:30:00", "01:00:00.001", "10:59:59.999", "13:00:00", "22:30:00", "23:59:59.999"),
  )
  .map(([day, time]) => `${day}T${time}Z`);
const anyBook = fc.record({
  title: fc.constantFrom("a", "b", "c"),
  pages: maybe(fc.constantFrom(100, 200, 300, 2_147_483_647)),
  score: maybe(fc.constantFrom(-1.25, 0, 0.5, 2)),
  price: maybe(fc.constantFrom("0.01", "10.00", "19.95", "99999999.99")),
  publishedAt: maybe(moment),
  createdAt: moment,
  size: maybe(fc.constantFrom("a small one", "MEDIUM", "XL")),
  publisherId: maybe(fc.constantFrom(1, 2, 3)),
  seriesOf: maybe(fc.nat({ max: 19 })),
});
const anyWorld = fc.record({
  cities: fc.array(maybe(fc.constantFrom("Bern", "Rome")), { minLength: 3, maxLength: 3 }),
  books: fc.array(anyBook, { maxLength: 20 }),
});

/** Writes random rows. */
export async function seedAggregates({ world }: AggregateWorld, seed: number): Promise<void> {
  const [{ cities, books } = { cities: [], books: [] }] = fc.sample(anyWorld, { seed, numRuns: 1 });
  const literal = (value: unknown): string => (value === null ? "NULL" : `'${value}'`);
  await world.sql(emptyTables("Publisher", "Book", "Tag", "_BookToTag"));
  for (const [at, city] of cities.entries())
    await world.sql(
      `INSERT INTO "Publisher" (id, "full name", city, secret) VALUES (${at + 1}, 'p${at}', ${literal(city)}, 's${at}')`,
    );
  const rows = books.map((book, at) => {
    const sequel = book.seriesOf !== null && book.seriesOf < at ? book.seriesOf + 1 : null;
    const values = [book.title, book.pages, book.score, book.price, book.publishedAt, book.createdAt, book.size];
    return `(${[at + 1, ...values, book.publisherId, sequel].map(literal).join(", ")}, now())`;
  });
  const columns = `id, title, pages, score, price, "publishedAt", "createdAt", size, "publisherId", "seriesOf", "updatedAt"`;
  if (rows.length > 0) await world.sql(`INSERT INTO "Book" (${columns}) VALUES ${rows.join(", ")}`);
  await world.sql(`INSERT INTO "Tag" (name) VALUES ('x')`);
  await world.sql(`INSERT INTO "_BookToTag" ("A", "B") SELECT id, 'x' FROM "Book" WHERE id % 2 = 0`);
}

const functions = ["sum", "avg", "min", "max", "countDistinct"] as const;
const measures = functions.flatMap((word) =>
  (word === "sum" || word === "avg"
    ? ["pages", "price", "score"]
    : ["pages", "price", "score", "title", "publishedAt", "size", "publisherId"]
  ).map((field) => `${word}.${field}`),
);
const groups = [
  ..."title pages size publisherId score price publishedAt:year createdAt:day createdAt:week createdAt:month".split(
    " ",
  ),
  ..."createdAt:quarter publishedAt:month publisher.name publisher.city sequel.title sequel.size".split(" "),
  ..."sequel.createdAt:month sequel.publisher.name".split(" "),
];
const filters = [
  "",
  "pages__gt=100",
  "size=SMALL,null",
  "publisher__city=Bern",
  "publisher__name=p1",
  "sequel__pages__lt=200",
  "sequel=null",
  "or[0][size]=LARGE&or[1][pages__lt]=250",
  "not[title]=a",
  "search=a",
  "score__gt=0",
  "price__isNull=true",
  "tags__some__name=x",
  "prequels__none__pages__gt=100",
  "prequels__every__publisher__name=p1",
];

/** One aggregate of a caller. */
export interface AggregateCase {
  readonly who: Who;
  readonly filter: string;
  readonly groups: readonly string[];
  readonly measures: readonly string[];
  readonly timeZone: string | undefined;
  readonly having: readonly [measure: string, operator: "gt" | "lte", value: number] | undefined;
  readonly sort: string | undefined;
}

const countOr = (names: readonly string[]): readonly string[] => ["count", ...names];
export const anyCase: fc.Arbitrary<AggregateCase> = fc.record({
  who: fc.constantFrom<Who>(undefined, ["reader"], ["editor"], "root"),
  filter: fc.constantFrom(...filters),
  groups: fc.uniqueArray(fc.constantFrom(...groups), { maxLength: 3 }),
  measures: fc.uniqueArray(fc.constantFrom(...countOr(measures)), { minLength: 1, maxLength: 4 }),
  timeZone: fc.constantFrom(undefined, "Europe/Berlin", "Pacific/Auckland", "America/New_York", "Asia/Kolkata"),
  having: fc.option(
    fc.tuple(
      fc.constantFrom("count", "sum.pages", "avg.price", "max.pages", "countDistinct.title"),
      fc.constantFrom("gt", "lte"),
      fc.constantFrom(1, 2, 150),
    ),
    { freq: 2, nil: undefined },
  ),
  sort: fc.option(fc.constantFrom("-count", "count", "-sum.pages", "max.pages"), { freq: 2, nil: undefined }),
});

type Row = Readonly<Record<string, unknown>>;

/** The difference between an aggregate and the same computed from the list of the caller; `undefined` without one. */
export async function differenceOf(one: AggregateCase, { guarded }: AggregateWorld): Promise<unknown> {
  const named = (word: string) =>
    one.measures.filter((name) => name.startsWith(`${word}.`)).map((name) => name.slice(word.length + 1));
  const parameters = [
    one.filter,
    ...(one.groups.length === 0 ? [] : [`groupBy=${one.groups.join(",")}`]),
    ...(one.measures.includes("count") ? ["count=true"] : []),
    ...functions.flatMap((word) => (named(word).length === 0 ? [] : [`${word}=${named(word).join(",")}`])),
    ...(one.timeZone === undefined ? [] : [`timeZone=${one.timeZone}`]),
    ...(one.having === undefined
      ? []
      : [`having[${one.having[0].replace(".", "][")}][${one.having[1]}]=${one.having[2]}`]),
    ...(one.sort === undefined ? [] : [`sort=${one.sort}`]),
    "limit=1000",
  ];
  const aggregate = await guarded.call(
    "GET",
    `/books/aggregate?${parameters.filter(Boolean).join("&")}`,
    undefined,
    one.who,
  );
  // Anonymous callers may not view publishers, so their lists cannot include them.
  const include = one.who === undefined ? "sequel" : "publisher,sequel.publisher";
  const list = await guarded.call("GET", `/books?${one.filter}&include=${include}&limit=100`, undefined, one.who);
  const isSeen = one.who === "root" || (one.who ?? []).includes("editor");
  const hidden = [
    ...(isSeen ? [] : ["publisher.city", "score"]),
    ...(one.who === undefined ? ["publisher.name", "sequel.publisher.name"] : []),
  ];
  const used = [...one.groups, ...one.measures.map((name) => name.split(".").slice(1).join("."))];
  if (list.status !== 200 || used.some((name) => hidden.includes(name)))
    return aggregate.status === 400 && (list.status === 200 || list.status === 400)
      ? undefined
      : { list: list.status, aggregate: aggregate.status, text: aggregate.text };
  if (aggregate.status !== 200) return aggregate;
  const rows = (JSON.parse(list.text) as { data: Row[] }).data;
  const found = (JSON.parse(aggregate.text) as { data: Row[] }).data;
  const expected = aggregateRows(rows, one);
  const byText = (all: readonly Row[]): string[] => all.map((group) => JSON.stringify(sorted(group))).sort();
  if (!isDeepStrictEqual(byText(found.map(withRoundedAverages)), byText(expected))) return { found, expected };
  return isInOrder(found, one) ? undefined : { found, sort: one.sort };
}

const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, sorted(inner)]),
      )
    : value;

function isInOrder(found: readonly Row[], { sort, measures }: AggregateCase): boolean {
  const name = sort?.replace("-", "");
  if (sort === undefined || name === undefined || !measures.includes(name)) return true;
  const [word = "", field] = name.split(".");
  // NULL is the greatest value.
  const values = found.map((row) => Number((field === undefined ? row[word] : (row[word] as Row)[field]) ?? Infinity));
  return values.every(
    (value, at) => at === 0 || (sort.startsWith("-") ? value <= (values[at - 1] ?? 0) : value >= (values[at - 1] ?? 0)),
  );
}

/** The aggregate of rows of a list; independent of the code under test. */
function aggregateRows(rows: readonly Row[], one: AggregateCase): readonly Row[] {
  const byGroup = new Map<string, { group: Record<string, unknown>; rows: Row[] }>();
  if (one.groups.length === 0) byGroup.set("", { group: {}, rows: [...rows] });
  else
    for (const row of rows) {
      const group = Object.fromEntries(one.groups.map((name) => [name, groupValue(row, name, one.timeZone)]));
      const key = JSON.stringify(group);
      const members = byGroup.get(key) ?? { group, rows: [] };
      members.rows.push(row);
      byGroup.set(key, members);
    }
  return [...byGroup.values()]
    .filter((members) => one.having === undefined || meets(members.rows, one.having))
    .map(({ group, rows: members }) => {
      const result: Record<string, unknown> = one.groups.length === 0 ? {} : { group };
      for (const name of one.measures) {
        const [word = "", field = ""] = name.split(".");
        if (word === "count") result.count = members.length;
        else result[word] = { ...(result[word] as Row), [field]: measure(members, word, field) };
      }
      return result;
    });
}

function meets(rows: readonly Row[], [name, operator, value]: NonNullable<AggregateCase["having"]>): boolean {
  const [word = "", field = ""] = name.split(".");
  const result = word === "count" ? rows.length : measure(rows, word, field);
  if (result === null) return false;
  return operator === "gt" ? Number(result) > value : Number(result) <= value;
}

/** A value by its path, in the form of the list, or the first day of a period. */
function groupValue(row: Row, name: string, timeZone = "UTC"): unknown {
  const [path = "", part] = name.split(":");
  const value = path.split(".").reduce<unknown>((at, step) => (at as Row | null)?.[step] ?? null, row);
  if (part === undefined || value === null) return value;
  const local = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const date = new Date(`${local.format(new Date(value as string))}T00:00:00Z`);
  if (part === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (part === "month" || part === "quarter" || part === "year") date.setUTCDate(1);
  if (part === "quarter") date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3));
  if (part === "year") date.setUTCMonth(0);
  return date.toISOString().slice(0, 10);
}

const sizes = ["SMALL", "MEDIUM", "LARGE"];
const rankOf = (field: string, value: unknown): number | string =>
  field === "size" ? sizes.indexOf(value as string) : field === "price" ? Number(value) : (value as number | string);

function measure(rows: readonly Row[], word: string, field: string): unknown {
  const values = rows.map((row) => row[field]).filter((value) => value !== null);
  if (word === "countDistinct") return new Set(values).size;
  if (values.length === 0) return null;
  if (word === "min" || word === "max") {
    const isBetter = (a: unknown, b: unknown) =>
      word === "min" ? rankOf(field, a) < rankOf(field, b) : rankOf(field, a) > rankOf(field, b);
    return values.reduce((best, value) => (isBetter(value, best) ? value : best));
  }
  if (field === "score") {
    const sum = (values as number[]).reduce((total, value) => total + value, 0);
    return word === "sum" ? sum : sum / values.length;
  }
  const places = field === "price" ? 2n : 0n;
  const units = values.reduce<bigint>((total, value) => total + BigInt(String(value).replace(".", "")), 0n);
  return word === "sum" ? decimal(units, places) : rounded(Number(units) / 10 ** Number(places) / values.length);
}

/** A number of units with decimal places as text. */
function decimal(units: bigint, places: bigint): string {
  const text = String(units).padStart(Number(places) + 1, "0");
  return places === 0n ? text : `${text.slice(0, -Number(places))}.${text.slice(-Number(places))}`;
}

/** An average has an unlimited number of places: 12 significant digits are compared. */
const rounded = (value: number): string => value.toPrecision(12);

const withRoundedAverages = (row: Row): Row => {
  if (row.avg === undefined) return row;
  const averages = Object.entries(row.avg as Row).map(([field, value]) => [
    field,
    typeof value === "string" ? rounded(Number(value)) : value,
  ]);
  return { ...row, avg: Object.fromEntries(averages) };
};
