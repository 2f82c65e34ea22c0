import { setTimeout as sleep } from "node:timers/promises";
import type { PrismaLibSql as LibSql } from "@prisma/adapter-libsql";
import { type AroundStatement, watchStatements } from "../database/watch-statements.js";
import type { Models } from "../models/model.js";
import { type EnumColumns, findEnumColumns } from "./enum-columns.js";
import { isOfPrisma, rewriteStatement } from "./rewrite-statement.js";
import { withoutInvalidValues } from "./without-invalid-values.js";
import { makeWriteQueue, type WriteQueue } from "./write-queue.js";

// An optional package: bundlers report a missing one only in a static import.
const { PrismaLibSql } = await import("@prisma/adapter-libsql").catch((error: unknown) => {
  throw error;
});

/** Options of `makeSqliteAdapter`. */
export interface SqliteSettings {
  /** The file of the database, such as `file:./dev.db`; it is created if it does not exist. */
  readonly url: string;
  readonly timeouts?: {
    /** Maximum wait for other writes, of this process or of another one, in milliseconds. @default 2000 */
    readonly poolWaitMs?: number;
  };
  /** With them, an enum value that the schema does not have is read as `null`; without them Prisma Client fails for it. */
  readonly models?: Models;
  /** Wraps every statement, for example in a span; costs nothing if it is not set. */
  readonly aroundStatement?: AroundStatement | undefined;
}

/** A driver adapter for a Prisma client. */
export type SqliteAdapter = LibSql;

type Adapter = Awaited<ReturnType<LibSql["connect"]>>;
type Transaction = Awaited<ReturnType<Adapter["startTransaction"]>>;
type Query = Parameters<Adapter["queryRaw"]>[0];
type Client = ReturnType<LibSql["createClient"]>;
type EnumsOf = (sql: string) => EnumColumns | undefined;

/** SQLite's primary code of a database that another connection has locked. */
const busy = 5;
/** SQLite's code of a parameter out of range. */
const outOfRange = 25;
/** Pauses in milliseconds between attempts on a locked database. */
const busyPause = { first: 2, longest: 50 };

/** The settings of each connection. */
const settings = "PRAGMA busy_timeout = 0; PRAGMA foreign_keys = ON;";

/**
 * Creates a driver adapter for a Prisma client on an SQLite file, with a write-ahead log, foreign keys, and one writer
 * at a time: reads run beside a transaction and see the last commit. A transaction has the write lock from its start.
 * Statements of Prisma sort NULL as PostgreSQL does.
 *
 * @example
 * const client = new PrismaClient({ adapter: makeSqliteAdapter({ url: "file:./dev.db" }) });
 * @throws {TypeError} for a URL that is not the one of a file
 */
export function makeSqliteAdapter({ url, timeouts = {}, models, aroundStatement }: SqliteSettings): SqliteAdapter {
  if (!/^file:[^?#]/.test(url) || /:memory:|[?#]/.test(url)) {
    throw new TypeError("The URL of an SQLite database is that of a file without parameters, such as file:./dev.db.");
  }
  const enumsOf = models === undefined ? () => undefined : findEnumColumns(models);
  return new QueuedLibSql(url, timeouts.poolWaitMs ?? 2_000, enumsOf, aroundStatement);
}

class QueuedLibSql extends PrismaLibSql {
  readonly #maxWaitMs: number;
  readonly #enumsOf: EnumsOf;
  readonly #around: AroundStatement | undefined;

  constructor(url: string, maxWaitMs: number, enumsOf: EnumsOf, around: AroundStatement | undefined) {
    super({ url, intMode: "bigint" });
    this.#maxWaitMs = maxWaitMs;
    this.#enumsOf = enumsOf;
    this.#around = around;
  }

  override async connect(): Promise<Adapter> {
    const writer = await super.connect();
    const reader = await super.connect();
    await writer.executeScript(settings);
    await reader.executeScript(settings);
    await writer.queryRaw({ sql: "PRAGMA journal_mode = WAL", args: [], argTypes: [] });
    const queued = queueWrites(writer, reader, makeWriteQueue(this.#maxWaitMs));
    return this.#around === undefined ? queued : watchStatements(queued, this.#around);
  }

  override createClient(config: Parameters<LibSql["createClient"]>[0]): Client {
    const client = super.createClient(config);
    // SQLite keeps a statement that found a locked database active, and commits nothing on its connection meanwhile.
    const reset = async () => {
      await client.reconnect();
      await client.executeMultiple(settings);
    };
    const execute = async ({ sql, args }: { sql: string; args: readonly unknown[] }, maxWaitMs: number) => {
      const statement = rewriteStatement({ sql, args });
      const once = async () => {
        try {
          const result = await client.execute(statement.sql, statement.args as never);
          return isOfPrisma(sql) ? withoutInvalidValues(result, this.#enumsOf(sql)) : result;
        } catch (error) {
          throw error instanceof RangeError ? rangeError(error) : error;
        }
      };
      return maxWaitMs === 0 ? once() : whileBusy(maxWaitMs, once, reset);
    };
    const run = (sql: string, maxWaitMs: number) => execute({ sql, args: [] }, maxWaitMs);
    // libSQL's own transaction opens another connection, and takes the write lock only with the first write.
    const transaction = async () => {
      await run("BEGIN IMMEDIATE", this.#maxWaitMs);
      return {
        execute: (statement: { sql: string; args: readonly unknown[] }) => execute(statement, 0),
        commit: async () => {
          try {
            await run("COMMIT", 0);
          } catch (error) {
            await run("ROLLBACK", 0).catch(() => undefined);
            throw error;
          }
        },
        rollback: () => run("ROLLBACK", 0),
      };
    };
    const used = {
      execute: (statement: { sql: string; args: readonly unknown[] }) => execute(statement, this.#maxWaitMs),
      executeMultiple: (script: string) => client.executeMultiple(script),
      transaction,
      close: () => client.close(),
    };
    return used as unknown as Client;
  }
}

/** Reads run on their own connection; writes and transactions wait in the queue. */
function queueWrites(writer: Adapter, reader: Adapter, queue: WriteQueue): Adapter {
  const { queryRaw, executeRaw, executeScript, startTransaction, dispose } = bound(writer);
  const queued = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const leave = await queue.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return Object.assign(writer, {
    queryRaw: (query: Query) =>
      /^\s*SELECT\b/i.test(query.sql) ? reader.queryRaw(query) : queued(() => queryRaw(query)),
    executeRaw: (query: Query) => queued(() => executeRaw(query)),
    executeScript: (script: string) => queued(() => executeScript(script)),
    startTransaction: async (...given: Parameters<typeof startTransaction>): Promise<Transaction> => {
      const leave = await queue.enter();
      try {
        return endsTurn(await startTransaction(...given), leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
    dispose: async () => {
      await Promise.all([dispose(), reader.dispose()]);
    },
  });
}

/** Leaves the queue with the end of the transaction. */
function endsTurn(transaction: Transaction, leave: () => void): Transaction {
  const commit = transaction.commit.bind(transaction);
  const rollback = transaction.rollback.bind(transaction);
  return Object.assign(transaction, {
    commit: () => commit().finally(leave),
    rollback: () => rollback().finally(leave),
  });
}

function bound(adapter: Adapter) {
  return {
    queryRaw: adapter.queryRaw.bind(adapter),
    executeRaw: adapter.executeRaw.bind(adapter),
    executeScript: adapter.executeScript.bind(adapter),
    startTransaction: adapter.startTransaction.bind(adapter),
    dispose: adapter.dispose.bind(adapter),
  };
}

/**
 * Repeats a statement while another process has locked the database. SQLite's own wait would block the event loop. A
 * locked statement has had no effect.
 *
 * @param reset removes the locked statement
 */
async function whileBusy<Result>(
  maxWaitMs: number,
  work: () => Promise<Result>,
  reset: () => Promise<void>,
): Promise<Result> {
  const end = performance.now() + maxWaitMs;
  for (let pause = busyPause.first; ; pause = Math.min(pause * 2, busyPause.longest)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      await reset();
      if (performance.now() >= end) throw error;
      await sleep(pause);
    }
  }
}

function isBusy(error: unknown): boolean {
  const { rawCode } = error as { readonly rawCode?: unknown };
  return typeof rawCode === "number" && (rawCode & 0xff) === busy;
}

/** A number that SQLite cannot store, such as `NaN`, as an error of the driver. */
const rangeError = (cause: RangeError): Error =>
  Object.assign(new Error(cause.message, { cause }), { code: "SQLITE_RANGE", rawCode: outOfRange });
