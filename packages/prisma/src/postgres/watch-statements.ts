import type { PrismaPg } from "@prisma/adapter-pg";

/** Runs a statement inside a wrapper; returns its result. */
export type AroundStatement = <Result>(sql: string, run: () => Promise<Result>) => Promise<Result>;

type Adapter = Awaited<ReturnType<PrismaPg["connect"]>>;

/** What runs statements: an adapter, and each transaction of it. */
type Queryable = Pick<Adapter, "queryRaw" | "executeRaw">;

/**
 * Wraps every statement, including the wait for a connection. It wraps the calls of Prisma, not those of the
 * connection, where the work of one request would continue in the async context of another that released its
 * connection.
 */
export function watchStatements(adapter: Adapter, around: AroundStatement): Adapter {
  const startTransaction = adapter.startTransaction.bind(adapter);
  return Object.assign(watch(adapter, around), {
    startTransaction: async (...args: Parameters<typeof startTransaction>) =>
      watch(await around("BEGIN", () => startTransaction(...args)), around),
  });
}

function watch<Q extends Queryable>(queryable: Q, around: AroundStatement): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: Parameters<typeof queryRaw>[0]) => around(query.sql, () => queryRaw(query)),
    executeRaw: (query: Parameters<typeof executeRaw>[0]) => around(query.sql, () => executeRaw(query)),
  });
}
