import type { SeenModels } from "../database/executor.js";
import type { Model, StoredField } from "../model.js";
import type { Clause } from "../query-args.js";
import { columnOf } from "./column.js";
import { whereSql } from "./filter-sql.js";
import { namesRow } from "./keyed-statement.js";
import { madeValue } from "./made-value.js";
import { giveUp } from "./not-foldable.js";
import { type Shape, selectSql } from "./shape.js";
import { openScope, type Scope, type Statement } from "./statement.js";
import { writtenValue } from "./written-value.js";

/** A write of one row as SQL that returns the requested columns. */
export interface WriteStatement {
  readonly sql: string;
  readonly shape: Shape;
}

/** The columns that a write sets, in the order of the schema. */
export interface WrittenColumns {
  readonly fields: readonly StoredField[];
  /** The names of the fields as one text. */
  readonly names: string;
  /** The placeholders of their values. */
  readonly values: readonly unknown[];
}

/** The values that a create sets, and those of missing fields. */
export function insertedOf(model: Model, data: Clause, now: Date): WrittenColumns {
  return writtenColumns(model, data, (field) => {
    const made = madeValue(field, now);
    if (made === undefined && field.isRequired && !field.isList) return giveUp();
    return made === "by the database" ? undefined : made;
  });
}

/** The values that an update sets, and its timestamp. */
export const updatedOf = (model: Model, data: Clause, now: Date): WrittenColumns =>
  writtenColumns(model, data, ({ isUpdatedAt }) => (isUpdatedAt ? { value: now } : undefined));

function writtenColumns(
  model: Model,
  data: Clause,
  make: (field: StoredField) => { readonly value: unknown } | undefined,
): WrittenColumns {
  const fields: StoredField[] = [];
  const values: unknown[] = [];
  let names = "";
  for (const field of writtenFields(model, data)) {
    const set = Object.hasOwn(data, field.name) ? { value: data[field.name] } : make(field);
    if (set === undefined) continue;
    fields.push(field);
    names += `${field.name},`;
    values.push(writtenValue(field, set.value));
  }
  return { fields, names, values };
}

const writtenSql = (statement: Statement, field: StoredField, value: unknown): string =>
  `${statement.parameter(value)}${columnOf(field).cast}`;

/** The statement of a create. */
export function insertSql(
  statement: Statement,
  model: Model,
  { fields, values }: WrittenColumns,
  select: Clause | undefined,
): WriteStatement {
  const columns = fields.map((field) => columnOf(field).name).join(", ");
  const parameters = values.map((value, at) => writtenSql(statement, fields[at] as StoredField, value)).join(", ");
  const scope = openScope(statement, model);
  const given = fields.length === 0 ? "DEFAULT VALUES" : `(${columns}) VALUES (${parameters})`;
  const { shape, returning } = returned(select, scope);
  return { sql: `INSERT INTO ${statement.table(model)} AS ${scope.alias} ${given}${returning}`, shape };
}

/** The statement of an update by a unique key. */
export function updateSql(
  statement: Statement,
  model: Model,
  { fields, values }: WrittenColumns,
  where: Clause,
  select: Clause | undefined,
): WriteStatement {
  const changes = fields
    .map((field, at) => `${columnOf(field).name} = ${writtenSql(statement, field, values[at])}`)
    .join(", ");
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, returning } = returned(select, scope);
  const sql = `UPDATE ${statement.table(model)} AS ${scope.alias} SET ${changes} WHERE ${condition}${returning}`;
  return { sql, shape };
}

/** The statement of a delete by a unique key. */
export function deleteSql(
  statement: Statement,
  model: Model,
  where: Clause,
  select: Clause | undefined,
): WriteStatement {
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, returning } = returned(select, scope);
  return { sql: `DELETE FROM ${statement.table(model)} AS ${scope.alias} WHERE ${condition}${returning}`, shape };
}

/** The stored fields of a table, in the order of the schema; not possible if something else is to be written. */
export function writtenFields(model: Model, ...datas: readonly Clause[]): readonly StoredField[] {
  if (model.isView) return giveUp();
  for (const data of datas) {
    for (const name of Object.keys(data)) {
      const kind = model.fieldsByName.get(name)?.kind;
      if (kind !== "scalar" && kind !== "enum") return giveUp();
    }
  }
  return storedFields(model);
}

const storedOf = new WeakMap<Model, readonly StoredField[]>();

function storedFields(model: Model): readonly StoredField[] {
  const known = storedOf.get(model);
  if (known !== undefined) return known;
  const made = model.fields.filter((field): field is StoredField => field.kind === "scalar" || field.kind === "enum");
  storedOf.set(model, made);
  return made;
}

/**
 * A condition that identifies one row. A condition on a related row would need a join, which Prisma does not use for
 * writes.
 */
function conditionOf(where: Clause, scope: Scope): string {
  if (!namesRow(where, scope.model)) return giveUp();
  const condition = whereSql(where, scope);
  return scope.joins.sql === "" ? condition : giveUp();
}

function returned(select: Clause | undefined, scope: Scope): { readonly shape: Shape; readonly returning: string } {
  const { shape, columns } = returnedColumns(select, scope);
  return { shape, returning: ` RETURNING ${scope.statement.shown(columns)}` };
}

/** A writing statement would see related rows in their previous state. */
export function returnedColumns(
  select: Clause | undefined,
  scope: Scope,
  seen?: SeenModels,
): ReturnType<typeof selectSql> {
  const selected = selectSql(select, scope, seen);
  return selected.shape.every(({ kind }) => kind === "column") ? selected : giveUp();
}
