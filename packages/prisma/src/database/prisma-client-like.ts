import type { Row } from "../queries/query-args.js";

/** The limits of one transaction, in milliseconds, as Prisma names them. */
export interface PrismaTransactionOptions {
  readonly maxWait?: number;
  readonly timeout?: number;
}

/** The used part of a generated Prisma client; its delegates are looked up by name. */
export interface PrismaClientLike {
  /** Runs work in an interactive transaction. */
  $transaction<T>(work: (transaction: object) => Promise<T>, options?: PrismaTransactionOptions): Promise<T>;
  /** Runs a query given as SQL text. */
  $queryRawUnsafe(query: string): PromiseLike<unknown>;
  /** Connects to the database. */
  $connect?(): Promise<void>;
  /** Closes the connections. */
  $disconnect(): Promise<void>;
}

/** A Prisma client, or the client of one transaction. */
export type PrismaHandle = object;

/** The used methods of a Prisma delegate. */
export type PrismaMethod =
  | "findMany"
  | "findFirst"
  | "findUnique"
  | "count"
  | "aggregate"
  | "groupBy"
  | "create"
  | "createMany"
  | "createManyAndReturn"
  | "update"
  | "updateMany"
  | "updateManyAndReturn"
  | "delete"
  | "deleteMany";

/** Runs SQL with parameters and returns the number of changed rows. */
export function executeSql(client: PrismaHandle, sql: string, values: readonly unknown[]): Promise<number> {
  const execute = Reflect.get(client, "$executeRawUnsafe") as (sql: string, ...values: unknown[]) => Promise<number>;
  return execute.call(client, sql, ...values);
}

/** Runs SQL with parameters and returns its rows. */
export function queryRaw(client: PrismaHandle, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
  const query = Reflect.get(client, "$queryRawUnsafe") as (
    sql: string,
    ...values: unknown[]
  ) => Promise<readonly Row[]>;
  return query.call(client, sql, ...values);
}

/** Calls a method of a Prisma delegate. */
export function callPrisma(
  client: PrismaHandle,
  delegate: string,
  method: PrismaMethod,
  args: object,
): Promise<unknown> {
  const methods = Reflect.get(client, delegate) as Record<PrismaMethod, (args: object) => Promise<unknown>>;
  return methods[method](args);
}
