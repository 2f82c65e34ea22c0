import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { failedBefore, MigrationError } from "./migration-error.js";
import { createMysqlHistory, readMysqlHistory, recordEnd, recordFailure, recordStart } from "./mysql-history.js";
import { isMysqlError, type MysqlError, type MysqlSession, onMysql } from "./on-mysql.js";
import { requireMysql, scriptsOf } from "./read-migrations.js";

/**
 * Applies the pending migrations to MySQL or MariaDB and records them as Prisma's schema engine does, which supports MySQL
 * only in its native build. The caller has the lock.
 *
 * @returns the names of the applied migrations
 * @throws MigrationError with the number of the failed statement: the statements before it remain applied, because the
 * server commits each change of a table
 */
export function applyMysqlMigrations(url: string, migrations: MigrationList): Promise<string[]> {
  requireMysql(migrations);
  return onMysql(url, async (session) => {
    await createMysqlHistory(session);
    const recorded = await readMysqlHistory(session);
    const failed = recorded.find(({ isFinished }) => !isFinished);
    if (failed !== undefined) throw failedBefore(failed.name, `${failed.startedAt} UTC`);
    const known = new Set(recorded.map(({ name }) => name));
    const applied: string[] = [];
    for (const [name, script] of scriptsOf(migrations)) {
      if (known.has(name)) continue;
      await applyMigration(session, name, script);
      applied.push(name);
    }
    return applied;
  });
}

async function applyMigration(session: MysqlSession, name: string, script: string): Promise<void> {
  const id = await recordStart(session, name, script);
  const before = await countStatements(session);
  try {
    await session.query(script);
  } catch (error) {
    if (!isMysqlError(error)) throw error;
    await session.query("ROLLBACK");
    const statement = (await countStatements(session)) - before - ownStatements;
    await recordFailure(session, id, logsOf(name, error, statement));
    const rest = statement > 1 ? `; the statements before it remain applied` : "";
    const message = `The migration ${name} failed: ${error.sqlMessage} (statement ${statement}${rest})`;
    throw new MigrationError(message, { migration: name, cause: error });
  }
  await recordEnd(session, id);
}

/** The `ROLLBACK` and the second count. */
const ownStatements = 2;

/** The number of statements that the session has run, each of a script counted; the driver does not report the failed one. */
async function countStatements({ query }: MysqlSession): Promise<number> {
  const [row] = await query<{ readonly Value: string }>("SHOW SESSION STATUS LIKE 'Questions'");
  return Number(row?.Value);
}

/** The reason of a failure, which Prisma's command line prints. */
const logsOf = (name: string, { errno, sqlMessage }: MysqlError, statement: number): string =>
  `Statement ${statement} of the migration ${name} failed with the error ${errno}: ${sqlMessage}`;
