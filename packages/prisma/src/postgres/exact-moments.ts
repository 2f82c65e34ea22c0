import type { PrismaPg } from "@prisma/adapter-pg";
import type { QueryArrayConfig } from "pg";
import { dateOfText, dateTimeText, dateTimeTextOfSql, isEndless, sqlOfDateTime } from "../values/moment.js";

type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;
type Queryable = Pick<Adapter, "queryRaw" | "executeRaw">;
type AdapterQuery = Parameters<Adapter["queryRaw"]>[0];

/** The values that Prisma's adapter changes: microseconds, years outside 1 to 9999, and infinity. */
const unlikeDate = /\.\d{4,}Z$|^[+-]|^0000/;

/**
 * Sends date-times to PostgreSQL unchanged: Prisma's adapter truncates them to milliseconds, and writes years before 1
 * in a format that PostgreSQL rejects.
 */
export function sendExactMoments(adapter: Adapter): Adapter {
  const startTransaction = adapter.startTransaction.bind(adapter);
  return Object.assign(sendExactly(adapter), {
    startTransaction: async (...args: Parameters<typeof startTransaction>) =>
      sendExactly(await startTransaction(...args)),
  });
}

function sendExactly<Q extends Queryable>(queryable: Q): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: AdapterQuery) => queryRaw(exactQuery(query)),
    executeRaw: (query: AdapterQuery) => executeRaw(exactQuery(query)),
  });
}

function exactQuery(query: AdapterQuery): AdapterQuery {
  const isExact = (arg: unknown): boolean => (Array.isArray(arg) ? arg.some(isExact) : unlikeDate.test(textOf(arg)));
  const found = query.argTypes.map(({ scalarType }, at) => scalarType === "datetime" && isExact(query.args[at]));
  if (!found.includes(true)) return query;
  return {
    ...query,
    args: query.args.map((arg, at) => (found[at] === true ? sqlOf(arg, query.argTypes[at]?.dbType) : arg)),
    argTypes: query.argTypes.map((type, at) =>
      found[at] === true ? { ...type, scalarType: "string" as const } : type,
    ),
  };
}

const textOf = (arg: unknown): string =>
  arg instanceof Date && !Number.isNaN(arg.getTime()) ? arg.toISOString() : String(arg);

function sqlOf(arg: unknown, type: string | undefined): unknown {
  if (Array.isArray(arg)) return arg.map((one) => sqlOf(one, type));
  const text = textOf(arg);
  const moment = dateTimeText(dateOfText(text));
  if (type === "TIME" || type === "TIMETZ") return text.slice(11, -1);
  return type === "DATE" ? sqlOfDateTime(moment).replace(/T[^T]*Z$/, "") : sqlOfDateTime(moment);
}

const isoOf = (text: string): string => {
  const moment = dateTimeTextOfSql(text) ?? text;
  const date = dateOfText(moment);
  // Prisma turns it into a `Date`.
  return isEndless(date) ? date.toISOString() : moment;
};

const scalars: ReadonlySet<number> = new Set([1082, 1114, 1184]);

type Types = NonNullable<QueryArrayConfig["types"]>;

/** Reads dates and timestamps in every year, which Prisma's adapter does not. */
export const exactTypes = (types: Types): Types => ({
  getTypeParser: (oid, format) => (scalars.has(oid) ? isoOf : types.getTypeParser(oid, format)),
});
