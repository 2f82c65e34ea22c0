import type { Model } from "../model.js";
import type { Clause } from "../query-args.js";
import { quoteTable } from "../quote-name.js";
import { executeSql, type PrismaHandle } from "./prisma-client-like.js";
import { isPossibleKey, isRowOfKey, keyOrder, keyValues, storedKey } from "./row-key.js";

/** What rows are locked for: for a change of fields that no foreign key refers to, others may still refer to them. */
export type LockStrength = "NO KEY UPDATE" | "UPDATE";

/**
 * Locks rows until the transaction ends, in the order of their keys: two that lock the same rows never lock each other out.
 * PostgreSQL itself turns the keys, one JSON parameter, into the types of the table's columns; every name in the statement
 * comes from the model.
 *
 * @returns how many of them there are
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

/** Deletes the rows with these keys, like {@link lockRows}; tells how many there were. */
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
