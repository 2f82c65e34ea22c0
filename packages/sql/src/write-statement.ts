import type { Clause, CreateArgs, DeleteArgs, Model, SeenModels, StoredField, UpdateArgs } from "@servicekit/orm";
import { columnOf } from "./column.js";
import { namesRow } from "./keyed-statement.js";
import { madeValue } from "./made-value.js";
import { giveUp } from "./not-foldable.js";
import { type Shape, selectSql } from "./shape.js";
import { openScope, type Scope, type Statement } from "./statement.js";
import { whereSql } from "./where-sql.js";
import { writtenValue } from "./written-value.js";

/** A write of one row as SQL, which gives back what is asked for of it. */
export interface WriteStatement {
  readonly sql: string;
  readonly shape: Shape;
}

/** The fold of the arguments of a create. */
export function insertSql(statement: Statement, model: Model, args: CreateArgs, now: Date): WriteStatement {
  const { data, select, ...more } = args;
  if (Object.keys(more).length > 0 || !model.isCreatable) return giveUp();
  const columns: string[] = [];
  const values: string[] = [];
  for (const field of writtenFields(model, data)) {
    const made = Object.hasOwn(data, field.name) ? { value: data[field.name] } : madeValue(field, now);
    if (made === undefined && field.isRequired && !field.isList) return giveUp();
    if (made === undefined || made === "by the database") continue;
    columns.push(columnOf(field).name);
    values.push(statement.parameter(writtenValue(field, made.value)));
  }
  const scope = openScope(statement, model);
  const given = columns.length === 0 ? "DEFAULT VALUES" : `(${columns.join(", ")}) VALUES (${values.join(", ")})`;
  const { shape, returning } = returned(select, scope);
  return { sql: `INSERT INTO ${statement.table(model)} AS ${scope.alias} ${given}${returning}`, shape };
}

/** The fold of the arguments of an update by a unique key. */
export function updateSql(statement: Statement, model: Model, args: UpdateArgs, now: Date): WriteStatement {
  const { where, data, select, ...more } = args;
  // Of an update without changes Prisma makes a read.
  if (Object.keys(more).length > 0 || Object.keys(data).length === 0) return giveUp();
  const changes: string[] = [];
  for (const field of writtenFields(model, data)) {
    const isGiven = Object.hasOwn(data, field.name);
    if (!isGiven && !field.isUpdatedAt) continue;
    const value = writtenValue(field, isGiven ? data[field.name] : now);
    changes.push(`${columnOf(field).name} = ${statement.parameter(value)}`);
  }
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, returning } = returned(select, scope);
  const sql = `UPDATE ${statement.table(model)} AS ${scope.alias} SET ${changes.join(", ")} WHERE ${condition}${returning}`;
  return { sql, shape };
}

/** The fold of the arguments of a delete by a unique key. */
export function deleteSql(statement: Statement, model: Model, args: DeleteArgs): WriteStatement {
  const { where, select, ...more } = args;
  if (Object.keys(more).length > 0 || model.isView) return giveUp();
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, returning } = returned(select, scope);
  return { sql: `DELETE FROM ${statement.table(model)} AS ${scope.alias} WHERE ${condition}${returning}`, shape };
}

/** The stored fields of a table, in the order of the schema; gives up where something else is to be written. */
export function writtenFields(model: Model, ...datas: readonly Clause[]): readonly StoredField[] {
  if (model.isView) return giveUp();
  for (const data of datas) {
    for (const name of Object.keys(data)) {
      const kind = model.fieldsByName.get(name)?.kind;
      if (kind !== "scalar" && kind !== "enum") return giveUp();
    }
  }
  return model.fields.filter((field): field is StoredField => field.kind === "scalar" || field.kind === "enum");
}

/** A condition that names one row. What it asks of a related row would have to be joined, which Prisma does not for writes. */
function conditionOf(where: Clause, scope: Scope): string {
  if (!namesRow(where, scope.model)) return giveUp();
  const condition = whereSql(where, scope);
  return scope.joins.sql === "" ? condition : giveUp();
}

function returned(select: Clause | undefined, scope: Scope): { readonly shape: Shape; readonly returning: string } {
  const { shape, columns } = returnedColumns(select, scope);
  return { shape, returning: ` RETURNING ${scope.statement.shown(columns)}` };
}

/** Of related rows a statement that writes would see those from before it. */
export function returnedColumns(
  select: Clause | undefined,
  scope: Scope,
  seen?: SeenModels,
): ReturnType<typeof selectSql> {
  const selected = selectSql(select, scope, seen);
  return selected.shape.every(({ kind }) => kind === "column") ? selected : giveUp();
}
