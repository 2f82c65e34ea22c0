import { createHash, randomUUID } from "node:crypto";
import { MigrationError } from "./migration-error.js";
import type { MysqlSession } from "./on-mysql.js";

/** A migration in Prisma's table, which was not marked as rolled back. */
export interface RecordedMigration {
  readonly name: string;
  readonly checksum: string;
  /** The moment of its start in UTC, such as `2026-01-31 12:00:00.000`. */
  readonly startedAt: string;
  readonly isFinished: boolean;
}

/** Prisma's table, as its schema engine creates it. */
const table = `CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             DATETIME(3),
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          DATETIME(3),
    started_at              DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    applied_steps_count     INTEGER UNSIGNED NOT NULL DEFAULT 0
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`;

const tables = `SELECT TABLE_NAME AS name FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'`;

/** The names of the tables of the database. */
export async function tableNames({ query }: MysqlSession): Promise<readonly string[]> {
  return (await query<{ readonly name: string }>(tables)).map(({ name }) => name);
}

/**
 * Creates Prisma's table of migrations in a database that has no tables.
 *
 * @throws MigrationError for tables that were created without migrations
 */
export async function createMysqlHistory(session: MysqlSession): Promise<void> {
  const names = await tableNames(session);
  if (names.includes("_prisma_migrations")) return;
  if (names.length > 0) {
    const message = `The database is not empty and has no table of migrations. Record the migrations that it already has with
"npx prisma migrate resolve --applied <name>".`;
    throw new MigrationError(message.replace("\n", " "), { code: "P3005" });
  }
  await session.query(table);
}

/** The recorded migrations in the order of their starts; none without the table. */
export async function readMysqlHistory(session: MysqlSession): Promise<readonly RecordedMigration[]> {
  if (!(await tableNames(session)).includes("_prisma_migrations")) return [];
  const rows = await session.query<Omit<RecordedMigration, "isFinished"> & { readonly isFinished: unknown }>(
    `SELECT migration_name AS name, checksum, DATE_FORMAT(started_at, '%Y-%m-%d %T.%f') AS startedAt,
      finished_at IS NOT NULL AS isFinished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.slice(0, -"000".length),
    isFinished: Number(row.isFinished) === 1,
  }));
}

/** Records the start of a migration. @returns the id of the record */
export async function recordStart(session: MysqlSession, name: string, script: string): Promise<string> {
  const id = randomUUID();
  await change(
    session,
    "INSERT INTO _prisma_migrations (id, checksum, started_at, migration_name) VALUES (?, ?, UTC_TIMESTAMP(3), ?)",
    [id, checksumOf(script), name],
  );
  return id;
}

/** Records that a started migration was applied. */
export async function recordEnd(session: MysqlSession, id: string): Promise<void> {
  await change(
    session,
    "UPDATE _prisma_migrations SET applied_steps_count = applied_steps_count + 1, finished_at = UTC_TIMESTAMP(3) WHERE id = ?",
    [id],
  );
}

/** Records why a started migration failed. */
export async function recordFailure(session: MysqlSession, id: string, logs: string): Promise<void> {
  await change(session, "UPDATE _prisma_migrations SET logs = ? WHERE id = ?", [logs, id]);
}

/** Changes the table and commits that: a script may leave a transaction open, and turn the automatic commit off. */
async function change({ query }: MysqlSession, sql: string, values: readonly unknown[]): Promise<void> {
  await query(sql, values);
  await query("COMMIT");
}

/** Whether a script is the one of a checksum, also with the line ends of another system. */
export function hasChecksum(script: string, checksum: string): boolean {
  const scripts = [script, script.replaceAll("\r\n", "\n"), script.replaceAll("\n", "\r\n")];
  return scripts.some((one) => checksumOf(one) === checksum);
}

const checksumOf = (script: string): string => createHash("sha256").update(script).digest("hex");
