import assert from "node:assert/strict";
import { type Models, type StoredField } from "@servicekit/prisma";
import { prismaExecutor, sqlExecutor, toJsonField } from "@servicekit/prisma/internal";
import { chosenWays } from "../../../scripts/test/chosen-ways.js";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { type Draw, makeDraw } from "../../../scripts/test/random-draw.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import type { ModelRouterSettings } from "../src/index.js";
import { type Guarded, makeWorld, type RawResponse, type Who, type World } from "./guarded.js";
import { anyValue } from "./random-reads.js";
import { shelfModels } from "./shelf.js";

/** Two databases with the same rows: one is written by Prisma, one by SQL. */
export interface Twins {
  readonly prisma: World;
  readonly sql: World;
  /** The number of our writing statements. */
  written(): number;
  close(): Promise<void>;
}

export async function makeTwins(serverUrl: string): Promise<Twins> {
  let written = 0;
  const counted = (client: object, models: Models) => {
    const { link } = adapterOf(client);
    const query: typeof link.query = (...given) => {
      written++;
      return link.query(...given);
    };
    const own = { isOpen: () => link.isOpen(), query, decimal: link.decimal };
    const bySql = sqlExecutor({ client, link: own, models, schema: "public" });
    const { executor } = chosenWays(client, models);
    return { executor: splitExecutor({ reads: [executor], writes: [bySql, prismaExecutor] }) };
  };
  const prisma = await makeWorld(serverUrl, (...given) => ({
    executor: splitExecutor({ reads: [chosenWays(...given).executor], writes: [prismaExecutor] }),
  }));
  const sql = await makeWorld(serverUrl, counted);
  return {
    prisma,
    sql,
    written: () => written,
    close: async () => {
      await prisma.close();
      await sql.close();
    },
  };
}

const paths: Readonly<Record<string, string>> = {
  Publisher: "publishers",
  Writer: "writers",
  Tag: "tags",
  Book: "books",
  Cover: "covers",
  Authorship: "authorships",
  Payment: "payments",
  Value: "values",
  Must: "musts",
  Listing: "listings",
  PairKey: "pair-keys",
  TextKey: "text-keys",
  DayKey: "day-keys",
  BigIntKey: "big-int-keys",
  UuidKey: "uuid-keys",
  DecimalKey: "decimal-keys",
  FloatKey: "float-keys",
  BytesKey: "bytes-keys",
  EnumKey: "enum-keys",
  DateTimeKey: "date-time-keys",
  CharKey: "char-keys",
  UniqueKey: "unique-keys",
  SetKey: "set-keys",
  Series: "series",
  Reserved: "reserveds",
};

/** The location of a row in each of the two. */
interface Place {
  readonly prisma: string;
  readonly sql: string;
}

const wrong: readonly unknown[] = [
  null,
  "x".repeat(300),
  "",
  -1,
  2147483648,
  "9223372036854775808",
  1e300,
  "1e3",
  true,
  {},
  [],
  "a\0",
  "\ud800",
  "2024-02-30",
  "99999999999.999",
];

/** A body with values of the columns, some invalid, some missing. */
function anyBody(model: string, isUpdate: boolean, draw: Draw): Record<string, unknown> {
  const fields = shelfModels.get(model)?.fields ?? [];
  const body: Record<string, unknown> = {};
  const isOdd = draw.chance(0.12);
  for (const field of fields) {
    if (field.kind !== "scalar" && field.kind !== "enum") continue;
    const isNeeded = field.isRequired && !field.hasDefault && !isUpdate;
    const share = isNeeded ? 0.985 : field.isId || field.isUpdatedAt ? 0.08 : isUpdate ? 0.3 : 0.6;
    if (!draw.chance(share)) continue;
    body[field.name] =
      isOdd && draw.chance(0.25)
        ? draw.pick(wrong)
        : !field.isRequired && draw.chance(0.15)
          ? null
          : bodyValue(model, field, draw);
  }
  return body;
}

function bodyValue(model: string, field: StoredField, draw: Draw): unknown {
  if (/^(publisherId|seriesOf|bookId|writerId)$/.test(field.name)) return draw.pick([1, 2, 3, 4, 5, 9, 999]);
  if (field.isUnique && model !== "EnumKey" && field.type === "String" && field.nativeType?.name !== "Uuid")
    return [...`${field.name.slice(0, 1)}${draw.below(12)}`].join("");
  if (field.isList)
    return Array.from({ length: draw.below(3) }, () => toJsonField(field, [anyValue(field, draw)])).flat();
  return toJsonField(field, anyValue(field, draw));
}

/** The caller and the rules, in the guarded databases. */
export const rules: Partial<ModelRouterSettings> = {
  models: {
    Publisher: { auth: { where: () => ({ city: { not: "b" } }) } },
    Book: {
      auth: {
        where: () => ({ OR: [{ pages: null }, { pages: { lt: 40_000 } }] }),
        updateOne: { where: () => ({ title: { not: "a" } }) },
        deleteOne: { where: () => ({ authorships: { none: { share: 3 } } }) },
      },
    },
    Cover: { auth: { updateOne: { where: () => ({ book: { title: { not: "ab" } } }) }, findOne: true } },
    Writer: { auth: { createOne: ["editor"], updateOne: ["editor"], deleteOne: ["editor"], findOne: true } },
    Value: { auth: { fields: { editor: ["id", "string", "int", "size"], reader: ["id", "bigInt", "json", "date"] } } },
    Tag: { auth: { where: () => ({ name: { not: "n3" } }) } },
    Payment: { auth: { deleteOne: { where: () => ({ authorship: { writer: { name: "a" } } }) } } },
    Reserved: { hidden: ["sort"], auth: { where: () => ({ limit: { gte: 0 } }) } },
    PairKey: { auth: { where: () => ({ note: { not: "ab" } }) } },
  },
};

/**
 * Sends the given number of random writes to both, and compares responses and, at the end, all rows.
 *
 * @returns the number of writes, and the responses by status
 */
export async function compareRandomWrites(
  twins: Twins,
  services: { readonly prisma: Guarded; readonly sql: Guarded },
  { seed, runs, people }: { seed: number; runs: number; people: readonly Who[] },
): Promise<ReadonlyMap<number, number>> {
  const draw = makeDraw(seed);
  const places = new Map<string, Place[]>();
  const statuses = new Map<number, number>();
  const names = Object.keys(paths);
  const call = async (
    method: string,
    place: Place,
    bodyOf: (side: "prisma" | "sql") => unknown,
    who: Who,
    headersOf: (side: "prisma" | "sql") => Record<string, string> = () => ({}),
  ): Promise<{ readonly prisma: RawResponse; readonly sql: RawResponse }> => {
    const [prisma, sql] = [
      await services.prisma.call(method, place.prisma, bodyOf("prisma"), who, headersOf("prisma")),
      await services.sql.call(method, place.sql, bodyOf("sql"), who, headersOf("sql")),
    ];
    const about = `seed ${seed}: ${method} ${place.prisma} ${JSON.stringify(bodyOf("prisma"))} by ${JSON.stringify(who)}`;
    assert.deepEqual(reported(sql), reported(prisma), about);
    statuses.set(prisma.status, (statuses.get(prisma.status) ?? 0) + 1);
    return { prisma, sql };
  };
  for (let run = 0; run < runs; run++) {
    const model = draw.pick(names);
    const known = places.get(model) ?? [];
    places.set(model, known);
    const who = draw.pick(people);
    const act = draw.pick(["POST", "POST", "PATCH", "PATCH", "PATCH", "DELETE", "BULK", "BULK"]);
    if (act === "BULK") {
      const many = `/${paths[model]}/many`;
      const place = { prisma: many, sql: many };
      const count = draw.pick([1, 2, 3, 5, 60]);
      if (known.length < 2 || draw.chance(0.5)) {
        const bodies = likeBodies(model, count, draw);
        await call("POST", place, () => bodies, who);
      } else {
        const picked = Array.from({ length: Math.min(count, 6) }, () => draw.pick(known));
        const bodies = picked.map(() => anyBody(model, true, draw));
        const idOf = (at: string): unknown => decodeURIComponent(at.slice(at.lastIndexOf("/") + 1));
        const distinct = draw.chance(0.9) ? [...new Set(picked)] : picked;
        await call("PATCH", place, (side) => distinct.map((row, at) => ({ id: idOf(row[side]), ...bodies[at] })), who);
      }
      continue;
    }
    if (act === "POST" || known.length === 0) {
      const path = `/${paths[model]}`;
      const responses = await call("POST", { prisma: path, sql: path }, same(anyBody(model, false, draw)), who);
      const { location: one } = responses.prisma;
      const { location: other } = responses.sql;
      if (responses.prisma.status === 201 && one !== undefined && other !== undefined)
        known.push({ prisma: one.replace(/^\/api/, ""), sql: other.replace(/^\/api/, "") });
      continue;
    }
    const place = draw.pick(known);
    const tags = { prisma: "", sql: "" };
    if (draw.chance(0.25)) {
      const { prisma, sql } = await call("GET", place, same(undefined), who);
      tags.prisma = prisma.etag ?? "";
      tags.sql = sql.etag ?? "";
    }
    const isStale = draw.chance(0.3);
    const headersOf = (side: "prisma" | "sql"): Record<string, string> =>
      tags[side] === "" ? {} : { "if-match": isStale ? '"another"' : tags[side] };
    const body = act === "DELETE" ? undefined : anyBody(model, true, draw);
    const { prisma, sql } = await call(act, place, same(body), who, headersOf);
    const { location } = prisma;
    if (location !== undefined) known.push({ prisma: location, sql: sql.location ?? "" });
  }
  for (const { name, table, isView } of shelfModels.values()) {
    if (isView) continue;
    const [one, other] = await Promise.all([rowsOf(twins.prisma, table), rowsOf(twins.sql, table)]);
    assert.deepEqual(other, one, `seed ${seed}: the rows of ${name}`);
  }
  return statuses;
}

const same = (body: unknown) => () => body;

/** Bodies with the same fields, or some that lack fields of others. */
function likeBodies(model: string, count: number, draw: Draw): readonly Record<string, unknown>[] {
  const bodies = Array.from({ length: count }, () => anyBody(model, false, draw));
  const [first = {}] = bodies;
  if (draw.chance(0.4)) return bodies;
  return bodies.map((body, at) => ({ ...first, ...pickKeys(body, first), ...(at > 0 ? fresh(model, at, draw) : {}) }));
}

const pickKeys = (body: Record<string, unknown>, like: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(like, name)));

/** Mostly unique values. */
function fresh(model: string, at: number, draw: Draw): Record<string, unknown> {
  const fields = shelfModels.get(model)?.fields ?? [];
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (field.kind !== "scalar" || field.type !== "String" || field.nativeType?.name === "Uuid") return [];
      if (!(field.isUnique || (field.isId && !field.hasDefault)) || draw.chance(0.02)) return [];
      return [[field.name, `${draw.below(1e6)}${at}`.slice(0, 4) + String.fromCharCode(97 + (at % 26))]];
    }),
  );
}

/** Generated values differ between the two databases. */
const madeNow = /"20[2-9]\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"/g;
const madeId = /(?!6f2c1f0e-|00000000-)[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g;

const masked = (text: string): string => text.replace(madeNow, '"now"').replace(madeId, "id");

function reported({ status, text, etag, location }: RawResponse): unknown {
  const shown = masked(text.replace(/"requestId":"[^"]*"/, ""));
  const isMade = masked(text) !== text;
  return { status, text: shown, location: location && masked(location), etag: isMade ? etag !== undefined : etag };
}

async function rowsOf(database: World, table: string): Promise<readonly string[]> {
  const rows = await database.sql<{ row: string }>(`SELECT t::text AS row FROM "${table}" AS t`);
  return rows.map(({ row }) => masked(row.replaceAll(/\b20[2-9]\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?/g, "now"))).sort();
}
