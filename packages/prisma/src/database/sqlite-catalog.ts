import type { Model, Models } from "../models/model.js";
import { quoteText } from "../models/quote-name.js";
import type { Connections } from "./connections.js";
import type { WriteKind } from "./executor.js";
import type { Interceptions } from "./find-interceptions.js";
import { missingTablesBy } from "./find-missing-tables.js";
import type { UniqueIndex } from "./find-unique-indexes.js";

/** The tables and views of models that an SQLite database does not have. */
export const missingSqliteTables = missingTablesBy("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");

/** The unique indexes of an SQLite database that apply to every row, without primary keys. */
export async function sqliteUniqueIndexes(
  query: Connections["query"],
  models: readonly Model[],
): Promise<readonly UniqueIndex[]> {
  const indexes: UniqueIndex[] = [];
  try {
    for (const model of models) {
      const rows = (await query(
        `SELECT l.name AS name, json_group_array(c.name) AS columns FROM pragma_index_list(${quoteText(model.table)}) AS l, pragma_index_info(l.name) AS c WHERE l."unique" = 1 AND l.origin <> 'pk' AND l.partial = 0 GROUP BY l.name ORDER BY l.name`,
      )) as readonly { readonly name: string; readonly columns: string }[];
      for (const { name, columns } of rows) {
        const names = JSON.parse(columns) as readonly (string | null)[];
        // An expression has no name.
        if (names.every((column) => column !== null)) indexes.push({ model, name, columns: names as string[] });
      }
    }
    return indexes;
  } catch {
    return [];
  }
}

const kinds: Readonly<Record<string, WriteKind>> = { INSERT: "create", UPDATE: "update", DELETE: "delete" };

/** The tables of an SQLite database with triggers that may skip or replace a write. */
export async function sqliteInterceptions(query: Connections["query"], models: Models): Promise<Interceptions> {
  const rows = (await query(
    "SELECT tbl_name AS \"table\", sql FROM sqlite_master WHERE type = 'trigger'",
  )) as readonly { readonly table: string; readonly sql: string }[];
  const found = new Map<string, { readonly by: "trigger" }>();
  for (const { table, sql } of rows) {
    const [, time = "", kind = ""] = /\b(BEFORE\s+|AFTER\s+|INSTEAD\s+OF\s+)?(INSERT|UPDATE|DELETE)\b/i.exec(sql) ?? [];
    const mayReplace = /^instead/i.test(time) || /RAISE\s*\(\s*IGNORE/i.test(sql);
    const write = kinds[kind.toUpperCase()];
    if (!mayReplace || write === undefined) continue;
    for (const model of models.values()) {
      if (model.table.toLowerCase() === table.toLowerCase()) found.set(`${model.name} ${write}`, { by: "trigger" });
    }
  }
  return found;
}
