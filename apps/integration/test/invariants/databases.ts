import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { pushSchema } from "../../../../packages/dev-database/src/index.js";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { createMysqlDatabase, emptyMysql } from "../../../../scripts/test/mysql-database.js";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import { createSqliteDatabase, emptySqlite } from "../../../../scripts/test/sqlite-database.js";
import { createFilledDatabase } from "../../../../scripts/test/template-database.js";
import { readFixture } from "./fixtures.js";

/** A database with the tables of a fixture. */
interface FixtureDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** How a provider creates and empties databases. */
interface DatabaseMaker {
  create(serverUrl: string): Promise<FixtureDatabase>;
  empty(url: string, tables: readonly string[]): Promise<void>;
}

const schemaOf = (provider: TestedProvider): string =>
  path.join(import.meta.dirname, `../fixtures/invariants-${provider}/schema.prisma`);

async function onPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const makers: Readonly<Record<TestedProvider, DatabaseMaker>> = {
  postgresql: {
    create: async (serverUrl) => {
      const schema = schemaOf("postgresql");
      const database = await createFilledDatabase(serverUrl, {
        sources: [schema],
        key: "citext",
        fill: async (url) => {
          await onPostgres(url, "CREATE EXTENSION citext");
          await pushSchema(url, readFileSync(schema, "utf8"));
        },
      });
      // The rows need not survive a crash.
      await onPostgres(database.url, `ALTER DATABASE "${database.name}" SET synchronous_commit = off`);
      return database;
    },
    empty: (url, tables) => onPostgres(url, emptyTables(...tables)),
  },
  sqlite: {
    create: async () => {
      const { url, drop } = await createSqliteDatabase(schemaOf("sqlite"));
      return { url, drop: async () => drop() };
    },
    empty: emptySqlite,
  },
  mysql: {
    create: async () => createMysqlDatabase((await readFixture("mysql")).models),
    empty: emptyMysql,
  },
};

const idle = new Map<TestedProvider, FixtureDatabase[]>();

/** A database without rows, which is used again: creating one takes longer than most cases. */
export interface CaseDatabase {
  readonly url: string;
  /** Deletes all rows. */
  release(): Promise<void>;
}

/** @param serverUrl the PostgreSQL server; not used for other providers */
export async function takeDatabase(provider: TestedProvider, serverUrl: string): Promise<CaseDatabase> {
  const database = idle.get(provider)?.pop() ?? (await makers[provider].create(serverUrl));
  const { models } = await readFixture(provider);
  const tables = ["_ItemToLabel", "_AuthRoleToUser", ...[...models.values()].map(({ table }) => table).reverse()];
  return {
    url: database.url,
    release: async () => {
      await makers[provider].empty(database.url, tables);
      idle.set(provider, [...(idle.get(provider) ?? []), database]);
    },
  };
}

/** Drops the databases at the end of a test file. */
export async function dropDatabases(): Promise<void> {
  for (const database of [...idle.values()].flat()) await database.drop();
  idle.clear();
}
