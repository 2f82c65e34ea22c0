import type { Models } from "../models/model.js";
import { quoteTable, quoteText } from "../models/quote-name.js";
import type { Connections } from "./connections.js";

/**
 * The tables and views of models that are missing in the database, such as before its migrations; none if the database
 * cannot be queried.
 *
 * @param schema the schema of models without one; if unknown, that of the connection
 */
export async function findMissingTables(
  query: Connections["query"],
  models: Models,
  schema: string | undefined,
): Promise<readonly string[]> {
  if (models.size === 0) return [];
  const list = [...models.values()].map((model) => quoteText(quoteTable(model, model.schema ?? schema))).join(", ");
  try {
    const rows = await query(`SELECT name FROM unnest(ARRAY[${list}]) AS name WHERE to_regclass(name) IS NULL`);
    return (rows as readonly { readonly name: string }[]).map(({ name }) => name.replaceAll('"', ""));
  } catch {
    return [];
  }
}

/**
 * The tables and views of models that another database than PostgreSQL does not have; none if it cannot be queried.
 *
 * @param sql selects the names of its tables and views
 */
export const missingTablesBy =
  (sql: string) =>
  async (query: Connections["query"], models: Models): Promise<readonly string[]> => {
    try {
      const rows = (await query(sql)) as readonly { readonly name: string }[];
      // Some systems store names in lower case.
      const found = new Set(rows.map(({ name }) => name.toLowerCase()));
      return [...models.values()].map(({ table }) => table).filter((table) => !found.has(table.toLowerCase()));
    } catch {
      return [];
    }
  };
