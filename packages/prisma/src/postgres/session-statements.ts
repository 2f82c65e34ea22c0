import type { Client, Connection } from "pg";

/** A connection with what `pg` knows of it beside its declared types: statements by name, answered and on their way. */
export interface OpenConnection extends Connection {
  close(message: { readonly type: "S"; readonly name: string }): void;
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
}

/**
 * Counts the statements that a session has prepared, for PostgreSQL keeps each until the session ends: before one more than so many
 * is prepared, the one that was used least recently is closed.
 *
 * @returns to be told of every named statement, before it is sent
 */
export function boundStatements({ connection }: Client, most: number): (name: string) => void {
  const { parsedStatements, submittedNamedStatements } = connection as OpenConnection;
  /** In the order of their use. */
  const names = new Set<string>();
  let latest = "";
  return (name) => {
    if (name === latest) return;
    latest = name;
    names.delete(name);
    names.add(name);
    if (names.size <= most) return;
    for (const oldest of names) {
      if (names.size <= most) return;
      names.delete(oldest);
      (connection as OpenConnection).close({ type: "S", name: oldest });
      delete parsedStatements[oldest];
      delete submittedNamedStatements[oldest];
    }
  };
}
