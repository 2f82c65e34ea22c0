/** Runs a statement inside a wrapper; returns its result. */
export type AroundStatement = <Result>(sql: string, run: () => Promise<Result>) => Promise<Result>;

interface Query {
  readonly sql: string;
}

/** What runs statements: an adapter of Prisma, and each transaction of it. */
interface Queryable {
  queryRaw(query: Query): Promise<unknown>;
  executeRaw(query: Query): Promise<unknown>;
}

interface Adapter extends Queryable {
  startTransaction(...given: readonly unknown[]): Promise<Queryable>;
}

/**
 * Wraps every statement, including the wait for a connection. It wraps the calls of Prisma, not those of the
 * connection, where the work of one request would continue in the async context of another that released its
 * connection.
 */
export function watchStatements<A extends Adapter>(adapter: A, around: AroundStatement): A {
  const startTransaction = adapter.startTransaction.bind(adapter);
  return Object.assign(watch(adapter, around), {
    startTransaction: async (...given: readonly unknown[]) =>
      watch(await around("BEGIN", () => startTransaction(...given)), around),
  });
}

function watch<Q extends Queryable>(queryable: Q, around: AroundStatement): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: Query) => around(query.sql, () => queryRaw(query)),
    executeRaw: (query: Query) => around(query.sql, () => executeRaw(query)),
  });
}
