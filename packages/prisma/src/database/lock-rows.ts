import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable } from "../models/quote-name.js";
import type { Clause, Row } from "../queries/query-args.js";
import { executeSql, type PrismaHandle } from "./prisma-client-like.js";
import {
  isPossible,
  isPossibleKey,
  isRowOf,
  isRowOfKey,
  keyOrder,
  keyValues,
  storedKey,
  storedValues,
} from "./row-key.js";

/** The lock mode: for changes of fields without foreign keys, others may still reference the rows. */
export type LockStrength = "NO KEY UPDATE" | "UPDATE";

/**
 * Locks rows in the order of their keys until the transaction ends, so that two locks of the same rows never deadlock.
 * PostgreSQL converts the keys, one JSON parameter, to the column types; every name in the statement comes from the
 * model.
 *
 * @returns the number of rows
 */
export function lockRows(
  client: PrismaHandle,
  model: Model,
  schema: string,
  wheres: readonly Clause[],
  strength: LockStrength,
): Promise<number> {
  const table = quoteTable(model, schema);
  const sql = `SELECT 1 FROM ${table} AS t, json_array_elements($1::json) AS i(item), json_populate_record(NULL::${table}, i.item) AS k
WHERE ${isRowOfKey(model)} ORDER BY ${keyOrder(model)} FOR ${strength} OF t`;
  const keys = wheres.map((where) => keyValues(model, where)).filter((key) => isPossibleKey(model, key));
  return executeSql(client, sql, [JSON.stringify(keys.map((key) => storedKey(model, key)))]);
}

/** The rows of a lock that other transactions may take, too: those with the values of unique fields. */
export interface SharedRows {
  readonly fields: readonly StoredField[];
  readonly rows: readonly Row[];
  /** A field that is null in each locked row. */
  readonly unset: StoredField | undefined;
}

/**
 * Locks rows against changes and deletes until the transaction ends, like {@link lockRows}. A row that another transaction
 * changes is compared when that one has ended.
 *
 * @returns the number of rows
 */
export function shareRows(
  client: PrismaHandle,
  model: Model,
  schema: string,
  { fields, rows, unset }: SharedRows,
): Promise<number> {
  const table = quoteTable(model, schema);
  const isUnset = unset === undefined ? "" : ` AND t.${quoteName(unset.column)} IS NULL`;
  const sql = `SELECT 1 FROM ${table} AS t, json_array_elements($1::json) AS i(item), json_populate_record(NULL::${table}, i.item) AS k
WHERE ${isRowOf(fields)}${isUnset} ORDER BY ${keyOrder(model)} FOR SHARE OF t`;
  const possible = rows.filter((row) => isPossible(fields, row));
  return executeSql(client, sql, [JSON.stringify(possible.map((row) => storedValues(fields, row)))]);
}

/** Deletes the rows with these keys, like {@link lockRows}; returns their number. */
export function deleteRows(
  client: PrismaHandle,
  model: Model,
  schema: string,
  wheres: readonly Clause[],
): Promise<number> {
  const table = quoteTable(model, schema);
  const sql = `DELETE FROM ${table} AS t USING json_array_elements($1::json) AS i(item), json_populate_record(NULL::${table}, i.item) AS k
WHERE ${isRowOfKey(model)}`;
  return executeSql(client, sql, [JSON.stringify(wheres.map((where) => storedKey(model, keyValues(model, where))))]);
}
