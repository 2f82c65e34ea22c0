import { createHash } from "node:crypto";

/** Names for prepared statements, so that PostgreSQL parses and plans each query once for each connection. */
export interface StatementNames {
  /** The name of a statement; the empty string leaves it unnamed. */
  nameOf(sql: string): string;
  /** Gives other names from now on: after a change of the tables the statements prepared before are of no use. */
  renew(): void;
}

/** Longer statements, such as a bulk of rows, are hardly ever the same twice. */
const longest = 4_096;

/** A connection keeps what it has prepared until it ends, so the number of names must not depend on clients. */
export function makeStatementNames(most: number): StatementNames {
  const names = new Map<string, string>();
  let generation = 0;
  return {
    nameOf: (sql) => {
      const known = names.get(sql);
      if (known !== undefined) return known;
      if (names.size >= most || sql.length > longest) return "";
      const name = `s${generation}_${createHash("sha1").update(sql).digest("base64url")}`;
      names.set(sql, name);
      return name;
    },
    renew: () => {
      generation++;
      names.clear();
    },
  };
}
