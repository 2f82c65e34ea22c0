import type { Models } from "../models/model.js";
import { quoteName, quoteTable } from "../models/quote-name.js";
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
  const tables = [...models.values()].map((model) => {
    const own = model.schema ?? schema;
    return own === undefined ? quoteName(model.table) : quoteTable(model, own);
  });
  if (tables.length === 0) return [];
  const list = tables.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ");
  try {
    const rows = await query(`SELECT name FROM unnest(ARRAY[${list}]) AS name WHERE to_regclass(name) IS NULL`);
    return (rows as readonly { readonly name: string }[]).map(({ name }) => name.replaceAll('"', ""));
  } catch {
    return [];
  }
}
