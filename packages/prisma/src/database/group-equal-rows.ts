import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable } from "../models/quote-name.js";
import type { Row } from "../queries/query-args.js";
import { mysqlName, mysqlValue } from "./lock-mysql-rows.js";
import { type PrismaHandle, queryRaw } from "./prisma-client-like.js";
import { isPossible, storedValues } from "./row-key.js";

/** Values of fields to compare. */
export interface ComparedRows {
  readonly fields: readonly StoredField[];
  readonly rows: readonly Row[];
}

/** A statement with the parameters that returns the number of each row, and the first number of the rows equal to it. */
interface Comparison {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Compares rows as the columns of a table do: by their types and collations.
 *
 * @returns for each row, the index of the first row that is equal to it
 */
export async function groupEqualRows(
  client: PrismaHandle,
  model: Model,
  schema: string | undefined,
  { fields, rows }: ComparedRows,
): Promise<readonly number[]> {
  const firsts = rows.map((_row, index) => index);
  // A value that no row can have would fail.
  const indexes = firsts.filter((index) => isPossible(fields, rows[index] ?? {}));
  if (indexes.length < 2) return firsts;
  const possible = { fields, rows: indexes.map((index) => rows[index] ?? {}) };
  const { sql, values } = schema === undefined ? byUnion(model, possible) : byRecords(model, schema, possible);
  for (const { n, first } of await queryRaw(client, sql, values))
    firsts[indexes[Number(n)] ?? -1] = indexes[Number(first)] ?? -1;
  return firsts;
}

/** PostgreSQL converts the values, one JSON parameter, to the types of the columns. */
function byRecords(model: Model, schema: string, { fields, rows }: ComparedRows): Comparison {
  const columns = fields.map(({ column }) => `k.${quoteName(column)}`).join(", ");
  const sql = `SELECT (i.n - 1)::int AS n, (min(i.n) OVER (PARTITION BY ${columns}) - 1)::int AS first
FROM json_array_elements($1::json) WITH ORDINALITY AS i(item, n), json_populate_record(NULL::${quoteTable(model, schema)}, i.item) AS k`;
  return { sql, values: [JSON.stringify(rows.map((row) => storedValues(fields, row)))] };
}

/** Values that follow those of a column in a union are compared as that column is. */
function byUnion(model: Model, { fields, rows }: ComparedRows): Comparison {
  const quote = model.provider === "mysql" ? mysqlName : quoteName;
  const columns = fields.map(({ column }) => quote(column)).join(", ");
  const parameters = fields.map(() => "?").join(", ");
  const selects = rows.map((_row, index) => `UNION ALL SELECT ${index}, ${parameters}`).join(" ");
  const sql = `SELECT n, MIN(n) OVER (PARTITION BY ${columns}) AS first FROM (SELECT -1 AS n, ${columns} FROM ${quote(model.table)} WHERE 1 = 0 ${selects}) AS k`;
  return { sql, values: rows.flatMap((row) => fields.map((field) => mysqlValue(field, row[field.name]))) };
}
