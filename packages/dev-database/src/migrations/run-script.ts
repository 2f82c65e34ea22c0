import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import pg from "pg";

/**
 * Runs a script of many statements in one go, which PostgreSQL takes as one transaction: a script that fails leaves
 * nothing behind.
 *
 * @param onFault gets the database's whole message, with the line of the script.
 */
export async function runScript(pool: pg.Pool, script: string, onFault: (message: string) => void): Promise<void> {
  try {
    await pool.query(script);
  } catch (error) {
    // A script with a BEGIN of its own leaves a failed transaction open, which would refuse the engine's next query.
    await pool.query("ROLLBACK").catch(() => {});
    if (!(error instanceof pg.DatabaseError)) throw error;
    onFault(describe(error, script));
    const { code = "", severity = "", message, detail, column, hint } = error;
    throw new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column, hint });
  }
}

function describe({ message, detail, hint, position }: pg.DatabaseError, script: string): string {
  const line = position === undefined ? "" : ` (line ${script.slice(0, Number(position)).split("\n").length})`;
  return [`${message}${line}`, detail, hint].filter((part) => part !== undefined).join("\n");
}
