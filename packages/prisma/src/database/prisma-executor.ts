import type { Model } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import { headlineSql } from "../search/headline-sql.js";
import { exactFloats } from "../values/exact-float.js";
import type { MakeExecutor, RowsResult } from "./executor.js";
import { aggregateByPrisma, prismaAggregateError, prismaAggregateReason } from "./prisma-aggregate.js";
import { callPrisma, type PrismaHandle, type PrismaMethod, queryRaw } from "./prisma-client-like.js";
import { searchOf } from "./search-by-keys.js";

/** The maximum number of rows that one call creates: its engine blocks the event loop for a quarter of a millisecond per row. */
export const maxRowsPerCall = 50;

/** Runs queries by Prisma Client. One call of it cannot update each row its own way, or create many rows. */
export const prismaExecutor: MakeExecutor = (client) => ({
  prepare: (model, query) => {
    const { operation, args } = query;
    // Prisma Client has no search by an index of PostgreSQL.
    if (searchOf(query) !== undefined) return undefined;
    switch (operation) {
      case "findMany":
      case "findFirst":
      case "findUnique":
        return async () => toRows(await callPrisma(client, model.delegate, operation, args));
      case "count":
        return async () => ({ rows: [], total: (await callPrisma(client, model.delegate, "count", args)) as number });
      case "aggregate": {
        const reason = prismaAggregateReason(model, query.args);
        if (reason !== undefined) return () => Promise.reject(prismaAggregateError(model, reason));
        return () => aggregateByPrisma(client, model, query.args, query.shown);
      }
      case "headline": {
        const { sql, values } = headlineSql(args);
        return async () => toRows(await queryRaw(client, sql, values));
      }
      case "createMany":
        if (args.data.length > maxRowsPerCall) return undefined;
        return async () => toRows(await writeByPrisma(client, model, "createManyAndReturn", args));
      case "create":
      case "update":
      case "delete":
        return async () => toRows(await writeByPrisma(client, model, operation, args));
      default:
        return undefined;
    }
  },
});

/** A row that does not exist, or that a trigger skipped, is null. */
const toRows = (result: unknown): RowsResult => ({
  rows: Array.isArray(result) ? (result as readonly Row[]) : result === null ? [] : [result as Row],
});

/** Calls a method that writes, with floating-point numbers that Prisma does not round. */
export function writeByPrisma(
  client: PrismaHandle,
  model: Model,
  method: PrismaMethod,
  args: { readonly where?: Clause; readonly data?: Clause | readonly Clause[] },
): Promise<unknown> {
  const { where, data } = args;
  return callPrisma(client, model.delegate, method, {
    ...args,
    ...(where && { where: exactFloats(model, where) }),
    ...(data && { data: isList(data) ? data.map((row) => exactFloats(model, row)) : exactFloats(model, data) }),
  });
}

export const isList = (data: Clause | readonly Clause[]): data is readonly Clause[] => Array.isArray(data);
