import { findOrphans, newOrphans, type Orphan, orphanMessage, type Read } from "./orphans.js";

/** The part of a libSQL client that runs scripts. */
export interface ScriptClient {
  executeMultiple(script: string): Promise<void>;
  transaction(mode: "write"): Promise<ScriptTransaction>;
}

interface ScriptTransaction {
  execute(statement: {
    readonly sql: string;
    readonly args: never[];
  }): Promise<{ readonly rows: ArrayLike<unknown>[] }>;
  executeMultiple(script: string): Promise<void>;
  commit(): Promise<void>;
  /** Rolls back what is not committed. */
  close(): void;
}

/**
 * Runs a script in one transaction. Foreign keys are off, and cannot be changed inside it: with them, a table that is made
 * again would delete the rows that reference it. Instead the rows are checked before the commit.
 *
 * @throws {Error} for a failed statement, and for a script after which rows refer to missing ones
 */
export async function runScript(client: ScriptClient, script: string): Promise<void> {
  await client.executeMultiple("PRAGMA foreign_keys = OFF;");
  const transaction = await client.transaction("write");
  try {
    const read: Read = async (sql, args = []) => rowsOf(await transaction.execute({ sql, args: args as never[] }));
    // It fails for a foreign key that SQLite cannot check.
    const before: readonly Orphan[] | undefined = await findOrphans(read).catch(() => undefined);
    await transaction.executeMultiple(script);
    const [first, ...others] = before === undefined ? [] : newOrphans(before, await findOrphans(read));
    if (first !== undefined) throw new Error(orphanMessage([first, ...others]));
    await transaction.commit();
  } finally {
    transaction.close();
  }
}

/** A row of libSQL cannot be iterated. */
const rowsOf = ({ rows }: { readonly rows: ArrayLike<unknown>[] }) => rows.map((row) => Array.from(row));
