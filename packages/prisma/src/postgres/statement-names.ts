import { createHash } from "node:crypto";

/** Names for prepared statements, so that PostgreSQL parses and plans each query once per connection. */
export interface StatementNames {
  /** The name of a statement, stable for equal ones; the empty string for none. */
  nameOf(sql: string): string;
  /** Uses other names from now on: after a change of the tables, earlier prepared statements are unusable. */
  renew(): void;
}

/** Longer statements, such as a bulk of rows, rarely repeat. */
const longest = 4_096;

/** @param max the number of remembered names; one that was not used for long is created again */
export function makeStatementNames(max: number): StatementNames {
  // Names used while the newer half fills up are moved to it; the others are dropped with the older half.
  let young = new Map<string, string>();
  let old = new Map<string, string>();
  let generation = 0;
  return {
    nameOf: (sql) => {
      const known = young.get(sql);
      if (known !== undefined) return known;
      if (sql.length > longest) return "";
      const name = old.get(sql) ?? `s${generation}_${createHash("sha1").update(sql).digest("base64url")}`;
      if (young.size >= max / 2) {
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
