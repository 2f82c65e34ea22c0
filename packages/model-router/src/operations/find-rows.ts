import type { Database, StoredField } from "@servicekit/prisma";
import { rowsWhere, toJsonField } from "@servicekit/prisma/internal";
import { allWhere, type Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";

/**
 * The rows with the values of one of these.
 *
 * @param rule a condition of the rows
 */
export async function findRows(
  fields: readonly StoredField[],
  rows: readonly Row[],
  database: Database,
  model: string,
  select: Where,
  rule?: Where,
): Promise<readonly Row[]> {
  const comparable = rows.filter((row) => valuesText(fields, row) !== undefined);
  if (comparable.length === 0 || fields.length === 0) return [];
  const where = rowsWhere(
    fields.map(({ name }) => name),
    comparable,
  );
  return database.of(model).findMany({ where: allWhere([where, rule]) ?? where, select });
}

/** The values as one text; `undefined` if one of them is missing or NULL, which equals nothing. */
export function valuesText(fields: readonly StoredField[], row: Row): string | undefined {
  const values = fields.map((field) => toJsonField(field, row[field.name]));
  return values.some((value) => value === undefined || value === null) ? undefined : JSON.stringify(values);
}

/** The values of these fields. */
export const keyOnly = (fields: readonly StoredField[], row: Row): Row =>
  Object.fromEntries(fields.map(({ name }) => [name, row[name]]));

/** Prisma's `select` for these fields. */
export const selectOf = (fields: readonly StoredField[]): Readonly<Record<string, true>> =>
  Object.fromEntries(fields.map(({ name }) => [name, true as const]));
