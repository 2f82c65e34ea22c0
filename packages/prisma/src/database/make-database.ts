import { StartError } from "@servicekit/core";
import { withTimeLimit } from "@servicekit/core/internal";
import { providerFault } from "../check-provider.js";
import { readFailure } from "../errors/database-failure.js";
import { ormErrors } from "../errors/orm-errors.js";
import { toHttpError } from "../errors/to-http-error.js";
import type { Model, Models } from "../model.js";
import type { Connections } from "./connections.js";
import type { Delegate } from "./delegate.js";
import type { MakeExecutor } from "./executor.js";
import { findAppliedMigrations } from "./find-applied-migrations.js";
import { findInterceptions, type Interceptions } from "./find-interceptions.js";
import { findMissingTables } from "./find-missing-tables.js";
import { type InterceptedWrites, interceptWrites } from "./intercept-writes.js";
import { type DelegateSource, makeDelegate } from "./make-delegate.js";
import { type ModelEngines, prismaEngines } from "./model-engine.js";
import type { PrismaClientLike, PrismaHandle } from "./prisma-client-like.js";
import { prismaExecutor } from "./prisma-executor.js";
import { hasExtensions } from "./prisma-reason.js";
import { isRepeatableWrite, retry } from "./retry.js";
import { makeReviveRows } from "./revive-rows.js";

/** How often a transaction or a single write is repeated after a conflict (contract C17). */
const conflictRetries = 3;

/** The longest timer of Node's: milliseconds. */
const longestWait = 2 ** 31 - 1;

/** What a transaction may take. */
export interface TransactionOptions {
  /** How often the work is done again after a write conflict. @default 3 */
  readonly retries?: number;
  /** Milliseconds from its beginning to its end, in which this process ran. @default 15000 */
  readonly timeoutMs?: number;
  /** Milliseconds to wait for a connection; those of the pool count too. @default {@link DatabaseSettings.poolWaitMs} */
  readonly maxWaitMs?: number;
}

/** The rows of all models, and what is done with the whole. */
export interface Database {
  readonly models: Models;
  /** The engine of each model, as it was decided at startup. */
  readonly engines: ModelEngines;
  /** Whether clients see the messages that triggers and functions of the application raise. */
  readonly exposeRaisedMessages: boolean;
  /** Whether the work is part of a transaction. */
  readonly inTransaction: boolean;
  /** The rows of one model. */
  of(model: Model | string): Delegate;
  /**
   * Does the work in one transaction: all of it, or nothing. After a write conflict or a deadlock the work is done
   * again from the start, so it must do nothing outside the database. Inside a transaction it becomes part of that one.
   */
  transaction<T>(work: (database: Database) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Asks the database a real question; connecting alone would succeed against a dead one. Where the adapter of
   * `@servicekit/prisma/postgres` is known it has a connection of its own, so that it answers under any load.
   *
   * @param timeoutMs Milliseconds until a 504. @default 2000
   */
  ping(timeoutMs?: number): Promise<void>;
  /** The tables and views of the models that the database does not have, as before its migrations. */
  missingTables(): Promise<readonly string[]>;
  /** The migrations of Prisma that the database has; none where it has no table of them. */
  appliedMigrations(): Promise<ReadonlySet<string>>;
  /** Closes the connections. */
  disconnect(): Promise<void>;
}

/** Options of `makeDatabase`. */
export interface DatabaseSettings {
  /** A Prisma client that was generated from the schema of the models. */
  readonly client: PrismaClientLike;
  readonly models: Models;
  /** Makes the executor of the queries. @default prismaExecutor */
  readonly executor?: MakeExecutor;
  /** The engine of each model that {@link executor} uses. @default Prisma Client */
  readonly engines?: ModelEngines;
  /**
   * The database schema of the client's adapter, for models that name none: `public` unless the adapter was told
   * another. It lets {@link Delegate.updateEach} write its own SQL; {@link Delegate.lock} looks in `public` without it.
   */
  readonly schema?: string;
  /** Whether a 400 has the message that a trigger or function of the application raised. @default false */
  readonly exposeRaisedMessages?: boolean;
  /** Milliseconds that a transaction waits for a connection, where {@link connections} are not known. @default 2000 */
  readonly poolWaitMs?: number;
  /** How many bytes the rows of one bulk write may have; more are an error before the commit. No limit where it is not given. */
  readonly maxBytes?: number | undefined;
  /** Those of the adapter that {@link client} was made with. */
  readonly connections?: Connections;
}

/**
 * Makes the database of a service.
 *
 * @throws {StartError} when the client was generated from another schema than the models.
 */
export function makeDatabase(settings: DatabaseSettings): Database {
  const { client, models, connections, exposeRaisedMessages = false } = settings;
  // A pool of ours ends the wait itself, and better: it counts only time in which the process ran.
  const poolWaitMs = connections === undefined ? (settings.poolWaitMs ?? 2_000) : longestWait;
  const foreign = providerFault(Reflect.get(client, "_activeProvider") as string | undefined);
  if (foreign !== undefined) throw new StartError([{ where: "the Prisma client", message: foreign }]);
  const faults = [...models.values()]
    .filter(({ delegate }) => typeof Reflect.get(client, delegate) !== "object")
    .map(({ name, delegate }) => ({
      where: `model ${name}`,
      message: `the Prisma client has no ${delegate}; run \`prisma generate\` so that client and models are of one schema.`,
    }));
  if (faults.length > 0) throw new StartError(faults);

  const revive = makeReviveRows(models);
  const inTransaction: DelegateSource["inTransaction"] = (work) =>
    database.transaction(({ of: inside }) => work(inside));
  let found: Promise<Interceptions> | undefined;
  /** Asked once, before the first write. */
  const interceptions = (): Promise<Interceptions> => {
    found ??= findInterceptions(askOf(client, connections), models, settings.schema).catch(() => {
      found = undefined;
      return new Map();
    });
    return found;
  };
  const of = delegatesOf(client, settings, { revive, inTransaction, interceptions, onFailure: undefined });
  const database: Database = {
    models,
    engines: settings.engines ?? prismaEngines(models, "the database has no SQL engine"),
    exposeRaisedMessages,
    inTransaction: false,
    of,
    transaction: <T>(work: (database: Database) => Promise<T>, options: TransactionOptions = {}) => {
      const { retries = conflictRetries, timeoutMs = 15_000, maxWaitMs = poolWaitMs } = options;
      const once = async (): Promise<T> => {
        // Inside it would wait for a second connection.
        await interceptions();
        return runTransaction(client, { maxWaitMs, timeoutMs, exposeRaisedMessages }, (transaction, onFailure) => {
          const inner: Database = {
            ...database,
            inTransaction: true,
            of: delegatesOf(transaction, settings, { revive, inTransaction, interceptions, onFailure }),
            transaction: (nested) => nested(inner),
          };
          return work(Object.freeze(inner));
        });
      };
      return retry(once, retries, isRepeatableWrite);
    },
    missingTables: () => findMissingTables(askOf(client, connections), models, settings.schema),
    appliedMigrations: () => findAppliedMigrations(askOf(client, connections), settings.schema),
    ping: (timeoutMs = 2_000) => ping(askOf(client, connections), timeoutMs),
    disconnect: async () => {
      await Promise.all([client.$disconnect(), connections?.end()]);
    },
  };
  return Object.freeze(database);
}

/** Makes delegates as they are asked for. */
function delegatesOf(
  client: PrismaHandle,
  settings: DatabaseSettings,
  own: Pick<DelegateSource, "revive" | "inTransaction" | "onFailure"> & Pick<InterceptedWrites, "interceptions">,
): Database["of"] {
  const { client: root, models, executor = prismaExecutor } = settings;
  const { schema, exposeRaisedMessages, maxBytes } = settings;
  const made = new Map<string, Delegate>();
  const isExtended = hasExtensions(root);
  const common = {
    client,
    models,
    schema,
    exposeRaisedMessages,
    maxBytes,
    isExtended,
    ...own,
    retries: conflictRetries,
  };
  const source = { ...common, executor: executor(client) };
  return (asked) => {
    const name = typeof asked === "string" ? asked : asked.name;
    const known = made.get(name);
    if (known !== undefined) return known;
    const model = models.get(name);
    if (model === undefined) throw new TypeError(`There is no model ${name}.`);
    const delegate = interceptWrites(makeDelegate(model, source), model, {
      ...own,
      client,
      isInside: own.onFailure !== undefined,
    });
    made.set(name, delegate);
    return delegate;
  };
}

async function runTransaction<T>(
  client: PrismaClientLike,
  {
    maxWaitMs,
    timeoutMs,
    exposeRaisedMessages,
  }: { readonly maxWaitMs: number; readonly timeoutMs: number; readonly exposeRaisedMessages: boolean },
  work: (transaction: PrismaHandle, onFailure: (error: unknown) => void) => Promise<T>,
): Promise<T> {
  let refused: { readonly error: unknown } | undefined;
  // PostgreSQL ends a transaction in which a statement failed, and Prisma would still report its commit as done.
  const onFailure = (error: unknown): void => {
    if (readFailure(error)?.sqlState !== undefined) refused ??= { error };
  };
  try {
    return await client.$transaction(
      async (transaction) => {
        const result = await withTimeLimit(work(transaction, onFailure), timeoutMs, tooLong);
        if (refused !== undefined) throw refused.error;
        return result;
        // Prisma's own timer would end a transaction for a while in which this process stood still.
      },
      { maxWait: maxWaitMs, timeout: longestWait },
    );
  } catch (error) {
    throw toHttpError(error, { operation: "update", exposeRaisedMessages });
  }
}

const tooLong = (): Error => ormErrors.DatabaseTimeout("The transaction took too long.");

/** What readiness asks takes no connection of the pool, where another is known. */
const askOf = (client: PrismaClientLike, connections: Connections | undefined): Connections["ask"] =>
  connections?.ask ?? (async (statement) => (await client.$queryRawUnsafe(statement)) as readonly unknown[]);

async function ping(ask: Connections["ask"], timeoutMs: number): Promise<void> {
  try {
    await withTimeLimit(ask("SELECT 1"), timeoutMs, () =>
      ormErrors.DatabaseTimeout("The database did not answer in time."),
    );
  } catch (error) {
    throw toHttpError(error, { operation: "read" });
  }
}
