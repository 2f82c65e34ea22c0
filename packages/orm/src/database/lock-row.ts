import type { Model } from "../model.js";
import { executeSql, type PrismaHandle } from "./prisma-client-like.js";
import type { Clause } from "./query-args.js";
import { isRowOfKey, keyValues, quoteTable, storedKey } from "./row-key.js";

/**
 * Locks one row until the transaction ends. PostgreSQL itself turns the key, one JSON parameter, into the types of the
 * table's columns; every name in the statement comes from the model.
 *
 * @returns whether there is such a row
 */
export async function lockRow(client: PrismaHandle, model: Model, schema: string, where: Clause): Promise<boolean> {
  const table = quoteTable(model, schema);
  const sql = `SELECT 1 FROM ${table} AS t, json_populate_record(NULL::${table}, $1::json) AS k
WHERE ${isRowOfKey(model)} FOR UPDATE OF t`;
  const key = storedKey(model, keyValues(model, where));
  return (await executeSql(client, sql, [JSON.stringify(key)])) > 0;
}
