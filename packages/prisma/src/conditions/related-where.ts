import type { RelationField } from "../models/model.js";
import type { Clause, Row } from "../queries/query-args.js";
import { toJsonValue } from "../values/json-value.js";
import { rowsWhere } from "./rows-where.js";

/** The rows that reference one of these rows; `undefined` for none. */
export const referencing = ({ relation: { fields, references } }: RelationField, rows: readonly Row[]) =>
  pairs(rows, references, fields);

/** The rows that one of these rows references; `undefined` for none. */
export const referenced = ({ relation: { fields, references } }: RelationField, rows: readonly Row[]) =>
  pairs(rows, fields, references);

function pairs(rows: readonly Row[], from: readonly string[], to: readonly string[]): Clause | undefined {
  const values = rows
    .map((row) => from.map((name) => row[name]))
    .filter((row) => row.every((value) => value !== null && value !== undefined))
    .map((row) => Object.fromEntries(to.map((name, at) => [name, row[at]])));
  // Many rows may reference the same one.
  const different = new Map(values.map((row) => [JSON.stringify(toJsonValue(row)), row]));
  return different.size === 0 ? undefined : rowsWhere(to, [...different.values()]);
}
