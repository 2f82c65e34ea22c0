import type { Models } from "../model.js";
import { quoteName, quoteTable } from "../quote-name.js";
import type { Connections } from "./connections.js";

/**
 * The tables and views of models that the database does not have, such as before its migrations; none where the database
 * is none that can be asked.
 *
 * @param schema the schema of models that name none; where it is not known, what the connection says counts
 */
export async function findMissingTables(
  ask: Connections["ask"],
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
    const rows = await ask(`SELECT name FROM unnest(ARRAY[${list}]) AS name WHERE to_regclass(name) IS NULL`);
    return (rows as readonly { readonly name: string }[]).map(({ name }) => name.replaceAll('"', ""));
  } catch {
    return [];
  }
}
