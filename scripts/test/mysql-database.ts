import { randomBytes } from "node:crypto";
import { onMysql } from "../../packages/dev-database/src/migrations/on-mysql.js";
import type { Models } from "../../packages/prisma/src/models/model.js";
import { makeMysqlAdapter } from "../../packages/prisma/src/mysql/index.js";
import { mysqlTables } from "./mysql-tables.js";

/** The MySQL or MariaDB server of the tests, such as `mysql://root@127.0.0.1:3306`. */
const serverUrl = process.env.TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306";

/** A database on the server. */
export interface MysqlDatabase {
  readonly url: string;
  /** Runs SQL in the database. */
  run(sql: string): Promise<readonly unknown[]>;
  drop(): Promise<void>;
}

/** Connects to a database of the server, and disconnects after the work. */
async function withConnection<T>(url: string, work: (run: MysqlDatabase["run"]) => Promise<T>): Promise<T> {
  const timeouts = { poolWaitMs: 5_000, statementMs: 60_000 };
  const { connections } = makeMysqlAdapter({ url, timeouts });
  try {
    return await work((sql) => connections.query(sql));
  } finally {
    await connections.end();
  }
}

const adminUrl = `${serverUrl}/information_schema`;

/**
 * `undefined` if the server responds, otherwise the reason why the tests on it are skipped.
 *
 * @throws {Error} in place of the reason if `REQUIRE_MYSQL` is set
 */
export async function mysqlProblem(): Promise<string | undefined> {
  if (process.env.TEST_MYSQL_URL === "") return "TEST_MYSQL_URL is empty";
  try {
    await withConnection(adminUrl, (run) => run("SELECT 1"));
    return undefined;
  } catch (error) {
    if (process.env.REQUIRE_MYSQL !== undefined) throw error;
    return `no MySQL or MariaDB server at ${new URL(serverUrl).host}: ${(error as Error).message}`;
  }
}

/** A database without tables, whose text is compared exactly. */
export async function createEmptyMysqlDatabase(): Promise<MysqlDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withConnection(adminUrl, async (run) =>
    run(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE ${await exactCollation(run)}`),
  );
  const url = `${serverUrl}/${name}`;
  return {
    url,
    run: (sql) => withConnection(url, (run) => run(sql)),
    drop: async () => {
      await withConnection(adminUrl, (run) => run(`DROP DATABASE IF EXISTS ${name}`));
    },
  };
}

/** Deletes all rows of tables, and restarts their ids. */
export async function emptyMysql(url: string, tables: readonly string[]): Promise<void> {
  await onMysql(url, async ({ query }) => {
    const changes = tables.map((table) => `DELETE FROM \`${table}\`; ALTER TABLE \`${table}\` AUTO_INCREMENT = 1`);
    await query(["SET FOREIGN_KEY_CHECKS = 0", ...changes].join("; "));
  });
}

/** A database with the tables of models. */
export async function createMysqlDatabase(models: Models): Promise<MysqlDatabase> {
  const database = await createEmptyMysqlDatabase();
  await withConnection(database.url, async (run) => {
    for (const statement of mysqlTables(models, await exactCollation(run))) await run(statement);
  });
  return database;
}

/** The collation that compares code points, without ignoring blanks at the end. */
const exactCollation = async (run: MysqlDatabase["run"]): Promise<string> =>
  (await kindOf(run)) === "mariadb" ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin";

/** Whether the server is MariaDB or MySQL. */
export const mysqlKind = (): Promise<"mariadb" | "mysql"> => withConnection(adminUrl, kindOf);

async function kindOf(run: MysqlDatabase["run"]): Promise<"mariadb" | "mysql"> {
  const [row] = (await run("SELECT VERSION() AS version")) as readonly { readonly version: string }[];
  return /mariadb/i.test(row?.version ?? "") ? "mariadb" : "mysql";
}
