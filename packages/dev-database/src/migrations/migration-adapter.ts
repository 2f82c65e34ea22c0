import { PrismaPg } from "@prisma/adapter-pg";
import type {
  SqlDriverAdapter,
  SqlMigrationAwareDriverAdapterFactory,
  SqlQueryable,
} from "@prisma/driver-adapter-utils";
import { parseDatabaseUrl, quoteName } from "../databases/database-url.js";
import { restoreCharacterColumns } from "./catalog-types.js";
import { createMigrationPool } from "./migration-pool.js";
import { runScript } from "./run-script.js";
import { createShadowDatabase } from "./shadow-database.js";

/** The connections of the schema engine, and the function that closes all of them. */
export interface MigrationAdapter {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** The database's error for the last failed script; the engine passes on only a part of it. */
  readonly scriptError: () => string | undefined;
  /** Commits the changes if all of them are one transaction. */
  commit(): Promise<void>;
  /** Closes every connection, which releases the engine's advisory lock, and drops the shadow databases. */
  dispose(): Promise<void>;
}

/**
 * Prisma's PostgreSQL adapter with fixes for the schema engine: it rejects two types of the catalog, splits scripts at
 * every semicolon, ignores the schema of the URL, and its shadow database is the main one or is not deleted.
 *
 * @param isAtomic whether everything is one transaction, which is rolled back unless committed
 */
export function createMigrationAdapter(url: string, isAtomic = false): MigrationAdapter {
  const schema = parseDatabaseUrl(url).searchParams.get("schema");
  const closing: (() => Promise<void>)[] = [];
  let lastError: string | undefined;
  let commit = async (): Promise<void> => {};

  const open = async (database: string, afterwards?: () => Promise<void>): Promise<SqlDriverAdapter> => {
    const { pool, close } = createMigrationPool(database, schema, isAtomic ? 1 : undefined);
    let closed: Promise<void> | undefined;
    const dispose = (): Promise<void> => {
      closed ??= close().finally(afterwards);
      return closed;
    };
    closing.push(dispose);
    const adapter = await new PrismaPg(pool, schema === null ? {} : { schema }).connect();
    if (isAtomic) {
      await pool.query("BEGIN");
      commit = async () => {
        await pool.query("COMMIT");
      };
    }
    if (schema !== null) await pool.query(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
    const executeScript = (script: string): Promise<void> =>
      runScript(pool, script, (message) => {
        lastError = message;
      });
    return Object.assign(fixAdapter(adapter), { dispose, executeScript });
  };

  return {
    factory: {
      provider: "postgres",
      adapterName: "@prisma/adapter-pg",
      connect: () => open(url),
      connectToShadowDb: async () => {
        const shadow = await createShadowDatabase(url);
        return open(shadow.url, shadow.drop);
      },
    },
    commit: () => commit(),
    scriptError: () => lastError,
    dispose: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
}

function fixAdapter(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const startTransaction = adapter.startTransaction.bind(adapter);
  return Object.assign(fixQueries(adapter), {
    startTransaction: async (...args: Parameters<typeof startTransaction>) =>
      fixQueries(await startTransaction(...args)),
  });
}

function fixQueries<Q extends SqlQueryable>(queryable: Q): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: async (...args: Parameters<typeof queryRaw>) => restoreCharacterColumns(await queryRaw(...args)),
  });
}
