import assert from "node:assert/strict";
import { type Row, toJsonRows } from "../../packages/model-router/src/resource/values/to-json.js";
import { prismaReads } from "../../packages/prisma/src/database/read-executor.js";
import { toHttpError } from "../../packages/prisma/src/errors/to-http-error.js";
import {
  type JsonList,
  type MakeReadExecutor,
  type Models,
  type ReadExecutor,
} from "../../packages/prisma/src/index.js";
import { makeSqlReads } from "../../packages/prisma/src/internal.js";
import type { PostgresAdapter } from "../../packages/prisma/src/postgres/index.js";

/** How many reads were compared, by method, and how many of them were left to Prisma. */
export const comparedReads = new Map<string, { compared: number; byPrisma: number }>();

/**
 * Reads everything twice, with Prisma and with SQL of ours, and throws where they differ: in values, in the bytes of an
 * answer, in the order where one is asked for, or in the error.
 */
export function makeComparedReads(client: object, models: Models, schema = "public"): MakeReadExecutor {
  const { adapter } = (client as { readonly _engineConfig: { readonly adapter: PostgresAdapter } })._engineConfig;
  let queries = 0;
  const link = {
    isOpen: () => adapter.link.isOpen(),
    query: (...given: Parameters<typeof adapter.link.query>) => {
      queries++;
      return adapter.link.query(...given);
    },
    decimal: adapter.link.decimal,
  };
  const make = makeSqlReads({ client, link, models, schema });
  return (handle) => {
    const prisma = prismaReads(handle);
    if (handle !== client) return prisma;
    const sql = make(handle) as Required<ReadExecutor>;
    const compare = async <T>(
      method: string,
      args: unknown,
      expected: () => Promise<T>,
      found: (() => Promise<T>) | undefined,
      plain: (value: T) => unknown,
    ): Promise<T> => {
      const tally = comparedReads.get(method) ?? { compared: 0, byPrisma: 0 };
      comparedReads.set(method, tally);
      const before = queries;
      const [right, ours] = [await settled(expected), found === undefined ? undefined : await settled(found)];
      if (ours === undefined || queries === before) tally.byPrisma++;
      else {
        tally.compared++;
        const about = `${method} ${JSON.stringify(args, (_key, value) => (typeof value === "bigint" ? `${value}n` : value))}`;
        if ("error" in right || "error" in ours) assert.deepEqual(codeOf(ours), codeOf(right), about);
        else assert.deepStrictEqual(plain(ours.value), plain(right.value), about);
      }
      if ("error" in right) throw right.error;
      return right.value;
    };
    const isOrdered = (args: { readonly orderBy?: unknown }) => args.orderBy !== undefined;
    const rowsOf =
      (args: { readonly orderBy?: unknown }) =>
      (rows: readonly unknown[]): unknown =>
        isOrdered(args) ? rows.map(told) : rows.map(told).sort();
    const compared: ReadExecutor = {
      findMany: (model, args) =>
        compare(
          "findMany",
          { model: model.name, args },
          () => prisma.findMany(model, args),
          () => sql.findMany(model, args),
          rowsOf(args),
        ),
      findFirst: (model, args) =>
        compare(
          "findFirst",
          { model: model.name, args },
          () => prisma.findFirst(model, args),
          () => sql.findFirst(model, args),
          told,
        ),
      findUnique: (model, args) =>
        compare(
          "findUnique",
          { model: model.name, args },
          () => prisma.findUnique(model, args),
          () => sql.findUnique(model, args),
          told,
        ),
      count: (model, args) =>
        compare(
          "count",
          { model: model.name, args },
          () => prisma.count(model, args),
          () => sql.count(model, args),
          told,
        ),
      listJson: (model, args, seen, options) => {
        const { total, shown } = options;
        const found = sql.listJson(model, args, seen, options);
        return () =>
          compare(
            "listJson",
            { model: model.name, args, ...options },
            async (): Promise<JsonList> => {
              const [rows, all] = await Promise.all([
                prisma.findMany(model, args),
                total && prisma.count(model, total),
              ]);
              const jsons = (toJsonRows(rows, seen.model, seen.models) as Row[])
                .slice(0, shown)
                .map((row) => JSON.stringify(row));
              return { json: `[${jsons.join(",")}]`, found: rows.length, last: jsons.at(-1), total: all };
            },
            found,
            (list) => ({ ...list, json: String(list.json) }),
          );
      },
      oneJson: (model, args, seen) => {
        const found = sql.oneJson(model, args, seen);
        return () =>
          compare(
            "oneJson",
            { model: model.name, args },
            async () => {
              const row = await prisma.findUnique(model, args);
              return row === null ? null : JSON.stringify(toJsonRows(row, seen.model, seen.models));
            },
            found,
            (value) => value,
          );
      },
    };
    return compared;
  };
}

const settled = async <T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown }> => {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
};

/** By which code a failure is answered. */
function codeOf(outcome: { value: unknown } | { error: unknown }): unknown {
  if (!("error" in outcome)) return { value: told(outcome.value) };
  try {
    return toHttpError(outcome.error, { operation: "read" }).code;
  } catch {
    return "no answer but a 500";
  }
}

/** Values with their types, and the order of their names. */
function told(value: unknown): string {
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
