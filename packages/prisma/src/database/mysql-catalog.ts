import type { Model, Models } from "../models/model.js";
import type { Connections } from "./connections.js";
import { missingTablesBy } from "./find-missing-tables.js";
import type { UniqueIndex } from "./find-unique-indexes.js";

/** The tables and views of models that a MySQL database does not have. */
export const missingMysqlTables = missingTablesBy(
  "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
);

/** The unique indexes of a MySQL database, without primary keys and those of expressions or the start of a text. */
export async function mysqlUniqueIndexes(
  query: Connections["query"],
  models: readonly Model[],
): Promise<readonly UniqueIndex[]> {
  try {
    const rows = (await query(
      "SELECT table_name AS `table`, index_name AS name, column_name AS `column`, sub_part AS part FROM information_schema.statistics WHERE table_schema = DATABASE() AND non_unique = 0 AND index_name <> 'PRIMARY' ORDER BY table_name, index_name, seq_in_index",
    )) as readonly IndexPart[];
    const indexes = new Map<string, readonly IndexPart[]>();
    for (const row of rows) {
      const place = JSON.stringify([row.table, row.name]);
      indexes.set(place, [...(indexes.get(place) ?? []), row]);
    }
    return [...indexes.values()].flatMap((parts) => {
      const [{ table = "", name = "" } = {}] = parts;
      const model = models.find((one) => one.table.toLowerCase() === table.toLowerCase());
      const isWhole = parts.every(({ column, part }) => column !== null && part === null);
      return model === undefined || !isWhole ? [] : [{ model, name, columns: parts.map(({ column }) => `${column}`) }];
    });
  } catch {
    return [];
  }
}

interface IndexPart {
  readonly table: string;
  readonly name: string;
  /** `null` for an expression. */
  readonly column: string | null;
  /** The number of indexed characters, if not all are. */
  readonly part: unknown;
}

/**
 * The columns of models, such as `Note.title`, whose text MySQL compares without regard to case.
 *
 * @param query runs SQL in the database
 */
export async function caseInsensitiveColumns(query: Connections["query"], models: Models): Promise<readonly string[]> {
  const rows = (await query(
    "SELECT table_name AS `table`, column_name AS `column` FROM information_schema.columns WHERE table_schema = DATABASE() AND data_type <> 'enum' AND collation_name LIKE '%\\_ci' ORDER BY table_name, ordinal_position",
  )) as readonly { readonly table: string; readonly column: string }[];
  return rows.flatMap(({ table, column }) => {
    const model = [...models.values()].find((one) => one.table.toLowerCase() === table.toLowerCase());
    const field = model?.fields.find((one) => one.kind === "scalar" && one.type === "String" && one.column === column);
    return model === undefined || field === undefined ? [] : [`${model.name}.${field.name}`];
  });
}
