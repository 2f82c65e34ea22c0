import { createHash } from "node:crypto";

/** Names for prepared statements, so that PostgreSQL parses and plans each query once for each connection. */
export interface StatementNames {
  /** The name of a statement, the same for the same one; the empty string leaves it unnamed. */
  nameOf(sql: string): string;
  /** Gives other names from now on: after a change of the tables the statements prepared before are of no use. */
  renew(): void;
}

/** Longer statements, such as a bulk of rows, are hardly ever the same twice. */
const longest = 4_096;

/** @param most how many names are remembered; one that was not needed for long is made again */
export function makeStatementNames(most: number): StatementNames {
  // What is needed again while the younger half fills up moves over; the rest goes with the older one.
  let young = new Map<string, string>();
  let old = new Map<string, string>();
  let generation = 0;
  return {
    nameOf: (sql) => {
      const known = young.get(sql);
      if (known !== undefined) return known;
      if (sql.length > longest) return "";
      const name = old.get(sql) ?? `s${generation}_${createHash("sha1").update(sql).digest("base64url")}`;
      if (young.size >= most / 2) {
        old = young;
        young = new Map();
      }
      young.set(sql, name);
      return name;
    },
    renew: () => {
      generation++;
      young.clear();
      old.clear();
    },
  };
}
