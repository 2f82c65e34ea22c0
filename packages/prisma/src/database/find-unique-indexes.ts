import type { Model } from "../models/model.js";
import { quoteTable, quoteText } from "../models/quote-name.js";
import type { Connections } from "./connections.js";

/** A unique index over all rows of a table; partial ones and primary keys are not included. */
export interface UniqueIndex {
  readonly model: Model;
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * The unique indexes of models in the database that apply to every row; none if the database cannot be queried.
 *
 * @param schema the schema of models without one; if unknown, that of the connection
 */
export async function findUniqueIndexes(
  query: Connections["query"],
  models: readonly Model[],
  schema: string | undefined,
): Promise<readonly UniqueIndex[]> {
  if (models.length === 0) return [];
  const list = models.map((model) => quoteText(quoteTable(model, model.schema ?? schema))).join(", ");
  const statement = `SELECT t.at::int AS at, c.relname AS name, (SELECT json_agg(a.attname ORDER BY k.ord)::text FROM unnest(i.indkey) WITH ORDINALITY AS k(num, ord) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num WHERE k.ord <= i.indnkeyatts) AS columns
FROM unnest(ARRAY[${list}]) WITH ORDINALITY AS t(name, at) JOIN pg_index i ON i.indrelid = to_regclass(t.name) JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL AND i.indexprs IS NULL ORDER BY t.at, c.relname`;
  try {
    const rows = (await query(statement)) as readonly {
      readonly at: number;
      readonly name: string;
      readonly columns: string;
    }[];
    return rows.flatMap(({ at, name, columns }) => {
      const model = models[Number(at) - 1];
      return model === undefined ? [] : [{ model, name, columns: JSON.parse(columns) as readonly string[] }];
    });
  } catch {
    return [];
  }
}
