import { databaseValue } from "../models/database-value.js";
import type { Model, StoredField } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import { type PrismaHandle, queryRaw } from "./prisma-client-like.js";
import { keyFields } from "./row-key.js";

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/**
 * Locks rows of a table of MySQL in the order of their keys until the transaction ends, so that two locks of the same rows
 * never deadlock. Every name in the statement comes from the model.
 *
 * @param keys the values of the key fields
 * @returns the number of rows
 */
export async function lockMysqlRows(client: PrismaHandle, model: Model, keys: readonly Row[]): Promise<number> {
  const fields = keyFields(model);
  const row = fields.map(({ column }) => `${quote(column)} = ?`).join(" AND ");
  const order = fields.map(({ column }) => quote(column)).join(", ");
  const sql = `SELECT 1 FROM ${quote(model.table)} WHERE ${keys.map(() => `(${row})`).join(" OR ")} ORDER BY ${order} FOR UPDATE`;
  const values = keys.flatMap((key) => fields.map((field) => storedValue(field, key[field.name])));
  return (await queryRaw(client, sql, values)).length;
}

const storedValue = (field: StoredField, value: unknown): unknown =>
  field.kind === "enum" ? (databaseValue(field, value) ?? value) : value;
