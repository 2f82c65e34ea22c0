import { databaseValue } from "../models/database-value.js";
import type { Model, StoredField } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import type { SharedRows } from "./lock-rows.js";
import { type PrismaHandle, queryRaw } from "./prisma-client-like.js";
import { keyFields } from "./row-key.js";

/** A name in a statement of MySQL. */
export const mysqlName = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/**
 * Locks rows of a table of MySQL in the order of their keys until the transaction ends, so that two locks of the same rows
 * never deadlock. Every name in the statement comes from the model.
 *
 * @param keys the values of the key fields
 * @returns the number of rows
 */
export function lockMysqlRows(client: PrismaHandle, model: Model, keys: readonly Row[]): Promise<number> {
  return lock(client, model, { fields: keyFields(model), rows: keys, unset: undefined }, "FOR UPDATE");
}

/** Locks rows against changes and deletes, like {@link lockMysqlRows}; MariaDB has no `FOR SHARE`. */
export function shareMysqlRows(client: PrismaHandle, model: Model, rows: SharedRows): Promise<number> {
  return lock(client, model, rows, "LOCK IN SHARE MODE");
}

async function lock(
  client: PrismaHandle,
  model: Model,
  { fields, rows, unset }: SharedRows,
  mode: "FOR UPDATE" | "LOCK IN SHARE MODE",
): Promise<number> {
  const row = fields.map(({ column }) => `${mysqlName(column)} = ?`).join(" AND ");
  const isUnset = unset === undefined ? "" : ` AND ${mysqlName(unset.column)} IS NULL`;
  const order = keyFields(model)
    .map(({ column }) => mysqlName(column))
    .join(", ");
  const sql = `SELECT 1 FROM ${mysqlName(model.table)} WHERE (${rows.map(() => `(${row})`).join(" OR ")})${isUnset} ORDER BY ${order} ${mode}`;
  const values = rows.flatMap((one) => fields.map((field) => mysqlValue(field, one[field.name])));
  return (await queryRaw(client, sql, values)).length;
}

/** A value as a parameter of a statement. */
export const mysqlValue = (field: StoredField, value: unknown): unknown =>
  field.kind === "enum" ? (databaseValue(field, value) ?? value) : value;
