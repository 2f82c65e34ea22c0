import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import pg from "pg";

/**
 * Runs a script of several statements in one query, which PostgreSQL executes as one transaction: a script that fails
 * is rolled back.
 *
 * @param onError receives the database's full message, with the line of the script.
 */
export async function runScript(pool: pg.Pool, script: string, onError: (message: string) => void): Promise<void> {
  try {
    await pool.query(script);
  } catch (error) {
    // A script with a BEGIN of its own leaves a failed transaction open, which would fail the engine's next query.
    await pool.query("ROLLBACK").catch(() => {});
    if (!(error instanceof pg.DatabaseError)) throw error;
    onError(describe(error, script));
    const { code = "", severity = "", message, detail, column, hint } = error;
    throw new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column, hint });
  }
}

function describe({ message, detail, hint, position }: pg.DatabaseError, script: string): string {
  const line = position === undefined ? "" : ` (line ${script.slice(0, Number(position)).split("\n").length})`;
  return [`${message}${line}`, detail, hint].filter((part) => part !== undefined).join("\n");
}
