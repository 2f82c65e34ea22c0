import { StartupError } from "@servicekit/core";
import { withTimeLimit } from "@servicekit/core/internal";
import { readFailure } from "../errors/database-failure.js";
import { ormErrors } from "../errors/orm-errors.js";
import { toHttpError } from "../errors/to-http-error.js";
import type { Model, Models } from "../models/model.js";
import { capabilitiesOf } from "../providers/capabilities.js";
import { providerIssue } from "../providers/check-provider.js";
import type { Provider } from "../providers/provider.js";
import { findSearchIssues, type SearchIssues } from "../search/find-search-issues.js";
import { catalogOf } from "./catalog.js";
import type { ChangeLog } from "./change-log.js";
import { hasExtensions, providerOf } from "./client-options.js";
import { comparableFields, makeComparesComputed } from "./compares-computed.js";
import type { Connections } from "./connections.js";
import type { Delegate } from "./delegate.js";
import type { MakeExecutor } from "./executor.js";
import { findAppliedMigrations } from "./find-applied-migrations.js";
import type { Interceptions } from "./find-interceptions.js";
import type { UniqueIndex } from "./find-unique-indexes.js";
import type { InexactText, ModelColumn } from "./inexact-texts.js";
import { type InterceptedWrites, interceptWrites } from "./intercept-writes.js";
import { type DelegateSource, makeDelegate } from "./make-delegate.js";
import { type ModelEngines, prismaEngines } from "./model-engine.js";
import { makeMysqlHandles } from "./mysql-handle.js";
import type { PrismaClientLike, PrismaHandle } from "./prisma-client-like.js";
import { prismaExecutor } from "./prisma-executor.js";
import { recordChanges, recordReferencing } from "./record-changes.js";
import { type RecordedModels, recordedModels } from "./recorded-models.js";
import { isRepeatableWrite, retry } from "./retry.js";
import { makeReviveRows } from "./revive-rows.js";
import { makeSqliteHandles } from "./sqlite-handle.js";
import { type PlanSelect, planSelects, withComputedFields } from "./with-computed-fields.js";

/** The number of retries of a transaction or a single write after a conflict (contract C17). */
const conflictRetries = 3;

/** Node's maximum timer, in milliseconds. */
const longestWait = 2 ** 31 - 1;

/** The limits of a transaction. */
export interface TransactionOptions {
  /** Number of retries after a write conflict. @default 3 */
  readonly retries?: number;
  /** Maximum duration in milliseconds in which this process ran. @default 15000 */
  readonly timeoutMs?: number;
  /**
   * Maximum wait for a connection in milliseconds, including that of the pool. @default {@link
   * DatabaseSettings.poolWaitMs}
   */
  readonly maxWaitMs?: number;
}

/** The rows of all models, and operations on the database itself. */
export interface Database {
  readonly models: Models;
  /** The engine of each model, as chosen at startup. */
  readonly engines: ModelEngines;
  /** Whether clients see the messages that triggers and functions of the application raise. */
  readonly exposeRaisedMessages: boolean;
  /** Whether it is inside a transaction. */
  readonly inTransaction: boolean;
  /** The Prisma client, or that of the transaction: for statements of your own, which no change log records. */
  readonly client: PrismaHandle;
  /**
   * The same database for reads that replicas may serve: those whose result no write depends on. Without replicas it is
   * this database, and inside a transaction the transaction.
   */
  readonly reads: Database;
  /** The rows of one model. */
  of(model: Model | string): Delegate;
  /**
   * Runs the work in one transaction: all of it, or nothing. After a write conflict or a deadlock the work is repeated
   * from the start, so it must have no effect outside the database. Inside a transaction it joins that one.
   */
  transaction<T>(work: (database: Database) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Sends a query to the database, because a connection to a dead one could still succeed. With the adapter of
   * `@servicekit/prisma/postgres` it has a separate connection, so that it responds under any load.
   *
   * @param timeoutMs Milliseconds until a 504. @default 2000
   */
  ping(timeoutMs?: number): Promise<void>;
  /** The tables and views of models that are missing in the database, as before its migrations. */
  missingTables(): Promise<readonly string[]>;
  /** What the searches of models need and the database does not have (contract C103). */
  searchIssues(): Promise<SearchIssues>;
  /** The unique indexes of models that apply to every row, without primary keys. */
  uniqueIndexes(models: readonly Model[]): Promise<readonly UniqueIndex[]>;
  /** Those of some columns in which the database treats different texts as equal. */
  inexactTexts(columns: readonly ModelColumn[]): Promise<readonly InexactText[]>;
  /** The applied migrations of Prisma; empty without its table. */
  appliedMigrations(): Promise<ReadonlySet<string>>;
  /** Closes the connections. */
  disconnect(): Promise<void>;
}

/** Options of `makeDatabase`. */
export interface DatabaseSettings {
  /** A Prisma client generated from the schema of the models. */
  readonly client: PrismaClientLike;
  readonly models: Models;
  /** Makes the executor of the queries. @default prismaExecutor */
  readonly executor?: MakeExecutor;
  /** The engine of each model that {@link executor} uses. @default Prisma Client */
  readonly engines?: ModelEngines;
  /**
   * The database schema of models without one: `public` unless the adapter has another. It enables the SQL of {@link
   * Delegate.updateEach}; {@link Delegate.lock} uses `public` without it.
   */
  readonly schema?: string;
  /** Whether a 400 contains the message that a trigger or function of the application raised. @default false */
  readonly exposeRaisedMessages?: boolean;
  /**
   * Maximum wait of a transaction for a connection in milliseconds, if {@link connections} are unknown. @default 2000
   */
  readonly poolWaitMs?: number;
  /** Maximum size in bytes of the rows of one bulk write; above it an error before the commit. Unlimited by default. */
  readonly maxBytes?: number | undefined;
  /** Those of the adapter of {@link client}. */
  readonly connections?: Connections;
  /** Runs the work of each transaction; nested ones are part of it. By default it runs as it is. */
  readonly aroundTransaction?: (<T>(transaction: Database, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Called after the commit of each transaction, with the database that its work received. */
  readonly onCommit?: ((transaction: Database) => void) | undefined;
  /** Stores the changes of rows with each write. Changes are not recorded by default. */
  readonly changes?: ChangeLog | undefined;
}

/**
 * Creates the database of a service.
 *
 * @throws {StartupError} if the client was generated from another schema than the models, and for another provider
 */
export function makeDatabase(given: DatabaseSettings): Database {
  const provider = [...given.models.values()][0]?.provider ?? "postgresql";
  const settings = capabilitiesOf(provider).databaseSchemas ? given : withoutSchema(given);
  const { client, models, connections, exposeRaisedMessages = false, aroundTransaction, onCommit } = settings;
  // The pool of the adapter limits the wait itself, and counts only time in which the process ran.
  const poolWaitMs = connections === undefined ? (settings.poolWaitMs ?? 2_000) : longestWait;
  const foreign = providerIssue(providerOf(client));
  if (foreign !== undefined) throw new StartupError([{ where: "the Prisma client", message: foreign }]);
  const issues = [...models.values()]
    .filter(({ delegate }) => typeof Reflect.get(client, delegate) !== "object")
    .map(({ name, delegate }) => ({
      where: `model ${name}`,
      message: `the Prisma client has no ${delegate}. Run \`npx service generate\` (or \`prisma generate\`), so that client and models match.`,
    }));
  if (settings.executor === undefined || hasExtensions(client)) issues.push(...comparisonIssues(models));
  if (issues.length > 0) throw new StartupError(issues);

  const catalog = catalogOf(provider);
  const handleOf = handlesOf[provider](models);
  const revive = makeReviveRows(models);
  const inTransaction: DelegateSource["inTransaction"] = (work) =>
    database.transaction(({ of: inside }) => work(inside));
  let found: Promise<Interceptions> | undefined;
  /** Queried once, before the first write. */
  const interceptions = (): Promise<Interceptions> => {
    found ??= catalog.interceptions(queryOf(client, connections), models, settings.schema).catch(() => {
      found = undefined;
      return new Map();
    });
    return found;
  };
  const searchIssues = () => findSearchIssues(queryOf(client, connections), models, settings.schema);
  let stored: Promise<ReadonlySet<string>> | undefined;
  /** Queried once, before the first search. */
  const hasVector = async ({ name }: Model): Promise<boolean> => {
    stored ??= searchIssues().then(
      ({ vectors }) => vectors,
      () => {
        stored = undefined;
        return new Set<string>();
      },
    );
    return (await stored).has(name);
  };
  const recorded = settings.changes && recordedModels(models, settings.changes);
  const committed = (): void => settings.changes?.committed?.();
  const comparesComputed = makeComparesComputed(models);
  const common = {
    comparesComputed,
    hasVector,
    revive,
    inTransaction,
    interceptions,
    recorded,
    planSelect: planSelects(models),
  };
  const of = delegatesOf(handleOf(client), settings, { ...common, onFailure: undefined, onStored: committed });
  const database: Database = {
    models,
    engines: settings.engines ?? prismaEngines(models, "the database has no SQL engine"),
    exposeRaisedMessages,
    inTransaction: false,
    client,
    get reads() {
      return database;
    },
    of,
    transaction: <T>(work: (database: Database) => Promise<T>, options: TransactionOptions = {}) => {
      const { retries = conflictRetries, timeoutMs = 15_000, maxWaitMs = poolWaitMs } = options;
      const once = async (): Promise<T> => {
        // Inside a transaction it would need a second connection.
        await interceptions();
        let hasStored = false;
        const onStored = (): void => {
          hasStored = true;
        };
        const limits = { maxWaitMs, timeoutMs, exposeRaisedMessages };
        let ended: Database | undefined;
        const result = await runTransaction(client, limits, (transaction, onFailure) => {
          const inner: Database = {
            ...database,
            inTransaction: true,
            client: transaction,
            get reads() {
              return inner;
            },
            of: delegatesOf(handleOf(transaction), settings, { ...common, onFailure, onStored }),
            transaction: (nested) => nested(inner),
          };
          ended = Object.freeze(inner);
          return aroundTransaction === undefined ? work(inner) : aroundTransaction(inner, () => work(inner));
        });
        if (hasStored) committed();
        if (ended !== undefined) onCommit?.(ended);
        return result;
      };
      return retry(once, retries, isRepeatableWrite);
    },
    missingTables: () => catalog.missingTables(queryOf(client, connections), models, settings.schema),
    searchIssues,
    uniqueIndexes: (of) => catalog.uniqueIndexes(queryOf(client, connections), of, settings.schema),
    inexactTexts: (columns) => catalog.inexactTexts(queryOf(client, connections), columns, settings.schema),
    appliedMigrations: () => findAppliedMigrations(queryOf(client, connections), settings.schema),
    ping: (timeoutMs = 2_000) => ping(queryOf(client, connections), timeoutMs),
    disconnect: async () => {
      await Promise.all([client.$disconnect(), connections?.end()]);
    },
  };
  return Object.freeze(database);
}

/** Prisma Client cannot filter and sort by an expression, and an extension may restrict rows that SQL would return. */
const comparisonIssues = (models: Models) =>
  comparableFields(models).map(([model, field]) => ({
    where: `models.${model}.computed.${field}.sql`,
    message: "Remove sql: it needs the SQL engine, and this database has a client of its own or with extensions.",
  }));

const handlesOf: Readonly<Record<Provider, (models: Models) => (client: PrismaHandle) => PrismaHandle>> = {
  postgresql: () => (handle) => handle,
  sqlite: makeSqliteHandles,
  mysql: makeMysqlHandles,
};

const withoutSchema = ({ schema: _, ...others }: DatabaseSettings): DatabaseSettings => others;

/** What all delegates of a database share, and how those of a transaction report failures. */
interface DelegateParts
  extends Pick<DelegateSource, "comparesComputed" | "hasVector" | "revive" | "inTransaction" | "onFailure">,
    Pick<InterceptedWrites, "interceptions"> {
  /** `undefined` without a change log. */
  readonly recorded: RecordedModels | undefined;
  /** `undefined` without computed fields. */
  readonly planSelect: PlanSelect | undefined;
  /** Called when changes have been stored. */
  readonly onStored: () => void;
}

/** Creates delegates on demand. */
function delegatesOf(
  client: PrismaHandle,
  settings: DatabaseSettings,
  { recorded, planSelect, onStored, ...own }: DelegateParts,
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
  const of: Database["of"] = (given) => {
    const name = typeof given === "string" ? given : given.name;
    const known = made.get(name);
    if (known !== undefined) return known;
    const model = models.get(name);
    if (model === undefined) throw new TypeError(`Unknown model ${name}.`);
    const isInside = own.onFailure !== undefined;
    const plain = interceptWrites(makeDelegate(model, source), model, { ...own, client, isInside });
    const found = recorded?.find(model);
    const writes = recorded && { ...own, recorded, of, isInside, onStored };
    const stored =
      writes === undefined
        ? plain
        : found === undefined
          ? recordReferencing(plain, model, writes)
          : recordChanges(plain, model, found, writes);
    const delegate = planSelect === undefined ? stored : withComputedFields(stored, model, planSelect);
    made.set(name, delegate);
    return delegate;
  };
  return of;
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
  let rejected: { readonly error: unknown } | undefined;
  // PostgreSQL aborts a transaction after a failed statement, but Prisma would report its commit as successful.
  const onFailure = (error: unknown): void => {
    if (readFailure(error)?.sqlState !== undefined) rejected ??= { error };
  };
  try {
    return await client.$transaction(
      async (transaction) => {
        const result = await withTimeLimit(work(transaction, onFailure), timeoutMs, tooLong);
        if (rejected !== undefined) throw rejected.error;
        return result;
        // Prisma's own timer would abort a transaction after a pause of this process.
      },
      { maxWait: maxWaitMs, timeout: longestWait },
    );
  } catch (error) {
    throw toHttpError(error, { operation: "update", exposeRaisedMessages });
  }
}

const tooLong = (): Error => ormErrors.DatabaseTimeout("The transaction took too long.");

/** The readiness query uses no connection of the pool, if another is available. */
const queryOf = (client: PrismaClientLike, connections: Connections | undefined): Connections["query"] =>
  connections?.query ?? (async (statement) => (await client.$queryRawUnsafe(statement)) as readonly unknown[]);

async function ping(query: Connections["query"], timeoutMs: number): Promise<void> {
  try {
    await withTimeLimit(query("SELECT 1"), timeoutMs, () =>
      ormErrors.DatabaseTimeout("The database did not respond in time."),
    );
  } catch (error) {
    throw toHttpError(error, { operation: "read" });
  }
}
