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

/** What the schema engine connects through, and the way to close all that it opened. */
export interface MigrationAdapter {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** What the database said to the last script that failed; the engine passes on only a part of it. */
  readonly scriptFault: () => string | undefined;
  /** Keeps what was done on the database, where all of it is one transaction. */
  commit(): Promise<void>;
  /** Closes every connection, which gives back the engine's advisory lock, and drops the shadow databases. */
  dispose(): Promise<void>;
}

/**
 * Prisma's PostgreSQL adapter, mended where the schema engine needs it: it refuses two types of the catalog, it cuts
 * scripts at every semicolon, it forgets the schema of the URL, and its shadow database is the main one or stays.
 *
 * @param isAtomic whether all that is done on the database is one transaction, which takes back what is not committed
 */
export function createMigrationAdapter(url: string, isAtomic = false): MigrationAdapter {
  const schema = parseDatabaseUrl(url).searchParams.get("schema");
  const closing: (() => Promise<void>)[] = [];
  let fault: string | undefined;
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
        fault = message;
      });
    return Object.assign(mend(adapter), { dispose, executeScript });
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
    scriptFault: () => fault,
    dispose: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
}

function mend(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const startTransaction = adapter.startTransaction.bind(adapter);
  return Object.assign(mendQueries(adapter), {
    startTransaction: async (...args: Parameters<typeof startTransaction>) =>
      mendQueries(await startTransaction(...args)),
  });
}

function mendQueries<Q extends SqlQueryable>(queryable: Q): Q {
  const queryRaw = queryable.queryRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: async (...args: Parameters<typeof queryRaw>) => restoreCharacterColumns(await queryRaw(...args)),
  });
}
