import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type {
  SqlDriverAdapter,
  SqlMigrationAwareDriverAdapterFactory,
  SqlQueryable,
} from "@prisma/driver-adapter-utils";
import { parseDatabaseUrl, quoteName, withDatabase } from "../databases/database-url.js";
import { withClient } from "../databases/with-client.js";
import { restoreCharacterColumns } from "./catalog-types.js";
import { createMigrationPool } from "./migration-pool.js";
import { runScript } from "./run-script.js";

/** What the schema engine connects through, and the way to close all that it opened. */
export interface MigrationAdapter {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** What the database said to the last script that failed; the engine passes on only a part of it. */
  readonly scriptFault: () => string | undefined;
  /** Closes every connection, which gives back the engine's advisory lock, and drops the shadow databases. */
  dispose(): Promise<void>;
}

/**
 * Prisma's PostgreSQL adapter, mended where the schema engine needs it: it refuses two types of the catalog, it cuts
 * scripts at every semicolon, it forgets the schema of the URL, and its shadow database is the main one or stays.
 */
export function createMigrationAdapter(url: string): MigrationAdapter {
  const schema = parseDatabaseUrl(url).searchParams.get("schema");
  const closing: (() => Promise<void>)[] = [];
  let fault: string | undefined;

  const open = async (database: string, afterwards?: () => Promise<void>): Promise<SqlDriverAdapter> => {
    const { pool, close } = createMigrationPool(database, schema);
    let closed: Promise<void> | undefined;
    const dispose = (): Promise<void> => {
      closed ??= close().finally(afterwards);
      return closed;
    };
    closing.push(dispose);
    const adapter = await new PrismaPg(pool, schema === null ? {} : { schema }).connect();
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
        const name = `shadow_${randomUUID()}`;
        const run = (sql: string) => withClient(url, (client) => client.query(sql));
        await run(`CREATE DATABASE ${quoteName(name)} TEMPLATE template0`);
        return open(withDatabase(url, name), async () => {
          await run(`DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
        });
      },
    },
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
