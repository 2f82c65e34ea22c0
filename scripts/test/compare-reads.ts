import assert from "node:assert/strict";
import { type Row, toJsonRows } from "../../packages/model-router/src/resource/values/to-json.js";
import { totalOfPage } from "../../packages/prisma/src/database/total-of-page.js";
import { toHttpError } from "../../packages/prisma/src/errors/to-http-error.js";
import type {
  Executor,
  MakeExecutor,
  Model,
  Models,
  Row as PrismaRow,
  Query,
  Result,
  SeenModels,
} from "../../packages/prisma/src/index.js";
import { foundRows, prismaExecutor, sqlExecutor } from "../../packages/prisma/src/internal.js";
import { adapterOf } from "./client-adapter.js";

/** The number of compared reads, by method, and how many of them Prisma executed. */
export const comparedReads = new Map<string, { compared: number; byPrisma: number }>();

/**
 * Executes every read twice, with Prisma and with our SQL, and throws if they differ: in values, in the bytes of a
 * response, in a requested order, or in the error.
 */
export function makeComparedReads(client: object, models: Models, schema = "public"): MakeExecutor {
  const adapter = adapterOf(client);
  let queries = 0;
  const link = {
    isOpen: () => adapter.link.isOpen(),
    query: (...given: Parameters<typeof adapter.link.query>) => {
      queries++;
      return adapter.link.query(...given);
    },
    decimal: adapter.link.decimal,
  };
  const makeSql = sqlExecutor({ client, link, models, schema });
  return (handle) => {
    const prisma = prismaExecutor(handle);
    if (handle !== client) return prisma;
    const sql = makeSql(handle);
    return {
      prepare: (model, query, seen) => {
        const byPrisma = prisma.prepare(model, query);
        if (byPrisma === undefined) return undefined;
        return async () => {
          const tally = comparedReads.get(nameOf(query, seen)) ?? { compared: 0, byPrisma: 0 };
          comparedReads.set(nameOf(query, seen), tally);
          const before = queries;
          const right = await settled(byPrisma);
          const found = sql.prepare(model, query, seen);
          const ours = found === undefined ? undefined : await settled(found);
          if (ours === undefined || queries === before) tally.byPrisma++;
          else {
            tally.compared++;
            const about = `${query.operation} ${JSON.stringify(query.args, (_key, value) => (typeof value === "bigint" ? `${value}n` : value))}`;
            if ("error" in right || "error" in ours) assert.deepEqual(codeOf(ours), codeOf(right), about);
            else {
              const expected =
                seen === undefined
                  ? await counted(right.value, model, query, prisma)
                  : await asJson(right.value, query, seen, prisma);
              assert.deepStrictEqual(
                plain(completed(ours.value, query, expected), query),
                plain(expected, query),
                about,
              );
            }
          }
          if ("error" in right) throw right.error;
          return right.value;
        };
      },
    };
  };
}

const nameOf = ({ operation }: Query, seen: SeenModels | undefined): string =>
  seen === undefined ? operation : `${operation} as JSON`;

/** The result of Prisma with the total of the list, which it counts in a query of its own. */
async function counted(result: Result, model: Model, query: Query, prisma: Executor): Promise<Result> {
  if (query.operation !== "findMany" || query.total === undefined) return result;
  const { total } = (await prisma.prepare(model, { operation: "count", args: query.total })?.()) ?? {};
  return { ...result, total };
}

/** The result that an engine with JSON has for the rows of Prisma. */
async function asJson(result: Result, query: Query, seen: SeenModels, prisma: Executor): Promise<Result> {
  const rows = "rows" in result ? result.rows : [];
  const jsons = (toJsonRows(rows, seen.model, seen.models) as Row[]).map((row) => JSON.stringify(row));
  if (query.operation !== "findMany") return { json: jsons[0] ?? "null", found: rows.length };
  const shown = jsons.slice(0, query.shown);
  const { total } = await counted(result, seen.model, query, prisma);
  return { json: `[${shown.join(",")}]`, found: rows.length, last: shown.at(-1), total };
}

/** The result with the total that a page reveals; a total that requires a separate query is that of Prisma. */
function completed(result: Result, query: Query, expected: Result): Result {
  if (query.operation !== "findMany" || query.total === undefined || result.total !== undefined) return result;
  const total = totalOfPage(foundRows(result), query.args, query.total) ?? expected.total;
  return { ...result, total };
}

/** A result as it is compared: without the order if the query has none. */
function plain(result: Result, query: Query): unknown {
  if ("json" in result) return { ...result, json: String(result.json) };
  const rows: readonly PrismaRow[] = result.rows;
  const isOrdered = query.operation !== "findMany" || query.args.orderBy !== undefined;
  return { rows: isOrdered ? rows.map(serialize) : rows.map(serialize).sort(), total: result.total };
}

const settled = async <T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown }> => {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
};

/** The error code of a failure. */
function codeOf(outcome: { value: unknown } | { error: unknown }): unknown {
  if (!("error" in outcome)) return { value: serialize(outcome.value) };
  try {
    return toHttpError(outcome.error, { operation: "read" }).code;
  } catch {
    return "a 500";
  }
}

/** Values with their types, and the order of their names. */
function serialize(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, item) {
    const own = this[key];
    if (typeof own === "bigint") return `bigint ${own}`;
    if (own instanceof Date) return `date ${own.getTime()}`;
    if (own instanceof Uint8Array) return `bytes ${Buffer.from(own).toString("hex")}`;
    if (typeof own === "object" && own !== null && "toFixed" in own)
      return `decimal ${(own as { toFixed(): string }).toFixed()}`;
    if (Object.is(own, -0)) return "-0";
    return typeof own === "number" && !Number.isFinite(own) ? `number ${own}` : item;
  });
}
