import type { Client, Connection } from "pg";

/** A connection with undeclared members of `pg`: statements by name, prepared and pending. */
export interface OpenConnection extends Connection {
  close(message: { readonly type: "S"; readonly name: string }): void;
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
}

/**
 * Tracks the prepared statements of a session, because PostgreSQL stores each until the session ends: at the maximum,
 * the least recently used one is closed.
 *
 * @returns a function to call for every named statement before it is sent
 */
export function limitStatementsOf({ connection }: Client, max: number): (name: string) => void {
  const { parsedStatements, submittedNamedStatements } = connection as OpenConnection;
  /** Least recently used first. */
  const names = new Set<string>();
  let latest = "";
  return (name) => {
    if (name === latest) return;
    latest = name;
    names.delete(name);
    names.add(name);
    if (names.size <= max) return;
    for (const oldest of names) {
      if (names.size <= max) return;
      names.delete(oldest);
      (connection as OpenConnection).close({ type: "S", name: oldest });
      delete parsedStatements[oldest];
      delete submittedNamedStatements[oldest];
    }
  };
}
