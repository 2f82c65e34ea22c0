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
