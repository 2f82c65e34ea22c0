import { isMysqlUrl } from "@servicekit/core/internal";
import { toMigrationError } from "../migrations/migration-error.js";
import { onMysql } from "../migrations/on-mysql.js";
import { onSqlite } from "../migrations/on-sqlite.js";
import { parseDatabaseUrl, quoteName } from "./database-url.js";
import { isSqliteUrl } from "./is-sqlite-url.js";
import { withClient } from "./with-client.js";

/** The content of a database with migrations. */
export interface DatabaseContent {
  /** The id of its first migration, which is another one in each database; `undefined` without applied migrations. */
  readonly id: string | undefined;
  /** Whether a table has rows, except that of the migrations. */
  readonly hasRows: boolean;
}

type Query = (sql: string) => Promise<readonly (readonly unknown[])[]>;

const history = "_prisma_migrations";
const firstMigration = `SELECT id FROM ${history} WHERE finished_at IS NOT NULL ORDER BY started_at, id LIMIT 1`;

/**
 * Reads which database a URL leads to, and whether it has data.
 *
 * @throws {MigrationError} if the database cannot be reached
 */
export function readDatabaseContent(url: string): Promise<DatabaseContent> {
  if (isSqliteUrl(url))
    return onSqlite(url, (adapter) => {
      const query: Query = async (sql) => (await adapter.queryRaw({ sql, args: [], argTypes: [] })).rows;
      return readContent(
        query,
        `SELECT '"' || replace(name, '"', '""') || '"' FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      );
    });
  if (isMysqlUrl(url))
    return onMysql(url, (session) => {
      const query: Query = async (sql) => (await session.query<object>(sql)).map((row) => Object.values(row));
      return readContent(
        query,
        "SELECT CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'",
      );
    });
  const schema = parseDatabaseUrl(url).searchParams.get("schema");
  return withClient(url, async (client) => {
    if (schema !== null) await client.query(`SET search_path = ${quoteName(schema)}`);
    const query: Query = async (text) => (await client.query({ text, rowMode: "array" })).rows;
    return readContent(query, postgresTables(schema !== null));
  }).catch((error: unknown) => {
    throw toMigrationError(error);
  });
}

/** The tables that no extension has created: of the schema in the search path, or of all schemas. */
const postgresTables = (isOfSchema: boolean): string => `SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND ${isOfSchema ? "n.nspname = current_schema()" : "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"}
AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** @param tables the query of the quoted names of the tables */
async function readContent(query: Query, tables: string): Promise<DatabaseContent> {
  const names = (await query(tables)).map(([name]) => String(name));
  const isHistory = (name: string): boolean => name.replaceAll(/["`]/g, "").split(".").at(-1) === history;
  if (!names.some(isHistory)) return { id: undefined, hasRows: await hasRows(query, names) };
  const [[id] = []] = await query(firstMigration);
  const others = names.filter((name) => !isHistory(name));
  return { id: id === undefined ? undefined : String(id), hasRows: await hasRows(query, others) };
}

async function hasRows(query: Query, tables: readonly string[]): Promise<boolean> {
  for (const table of tables) if ((await query(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0) return true;
  return false;
}
