import type { Models } from "@servicekit/prisma";
import pg from "pg";
import { onMysql } from "../../../../packages/dev-database/src/migrations/on-mysql.js";
import { onSqlite } from "../../../../packages/dev-database/src/migrations/on-sqlite.js";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import { drawnModels } from "./fixtures.js";

/** Runs a script of SQL in a session beside the service. */
type Run = (sql: string) => Promise<unknown>;

/** A session beside the service, and the statements in which the providers differ. */
interface Session {
  /** Tables that end with the session, if the session is one connection. */
  readonly createCopy: string;
  readonly quote: string;
  /** Lets the session delete and insert rows in any order. */
  readonly withoutReferences: string;
  open<Result>(url: string, work: (run: Run) => Promise<Result>): Promise<Result>;
}

const sessions: Readonly<Record<TestedProvider, Session>> = {
  postgresql: {
    createCopy: "CREATE TEMPORARY TABLE",
    quote: '"',
    withoutReferences: "SET session_replication_role = replica",
    open: async (url, work) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return await work((sql) => client.query(sql));
      } finally {
        await client.end();
      }
    },
  },
  sqlite: {
    createCopy: "CREATE TABLE",
    quote: '"',
    withoutReferences: "PRAGMA foreign_keys = OFF",
    open: (url, work) => onSqlite(url, (adapter) => work((sql) => adapter.executeScript(sql))),
  },
  mysql: {
    createCopy: "CREATE TEMPORARY TABLE",
    quote: "`",
    withoutReferences: "SET FOREIGN_KEY_CHECKS = 0",
    open: (url, work) => onMysql(url, ({ query }) => work((sql) => query(sql))),
  },
};

/**
 * Copies the rows of the drawn models and of the log beside them, and runs work that restores them.
 *
 * @param work gets a function that replaces the current rows by the copied ones
 */
export async function withRestore<Result>(
  provider: TestedProvider,
  url: string,
  models: Models,
  work: (restore: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { createCopy, quote, withoutReferences, open } = sessions[provider];
  const log = models.get("Change");
  const tables = [
    "_ItemToLabel",
    ...[...drawnModels(models), ...(log === undefined ? [] : [log])].map(({ table }) => table),
  ];
  const script = (statement: (table: string, copy: string) => string): string =>
    tables.map((table, index) => statement(`${quote}${table}${quote}`, `copy_${index}`)).join("; ");
  return open(url, async (run) => {
    const runAll = (sql: string) => run(`${withoutReferences}; ${sql}`);
    await runAll(script((table, copy) => `${createCopy} ${copy} AS SELECT * FROM ${table}`));
    const restore = script((table, copy) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${copy}`);
    try {
      return await work(async () => void (await runAll(restore)));
    } finally {
      await runAll(script((_, copy) => `DROP TABLE ${copy}`));
    }
  });
}
