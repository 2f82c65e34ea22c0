import type { SeenModels } from "../database/executor.js";
import type { LockStrength } from "../database/lock-rows.js";
import { isStored, storedFields } from "../models/is-stored.js";
import type { Model, StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { columnOf } from "./column.js";
import { whereSql } from "./filter-sql.js";
import { namesRow } from "./keyed-statement.js";
import { madeValue } from "./made-value.js";
import { giveUp } from "./not-foldable.js";
import { type Shape, selectSql } from "./shape.js";
import { keyText, stateJson } from "./state-json.js";
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

/** A change that is stored with the write of its row. */
export interface RecordedChange {
  /** The model that stores changes. */
  readonly model: Model;
  /** The values of the change that do not depend on the row. */
  readonly columns: WrittenColumns;
  /** The recorded fields of the row. */
  readonly fields: readonly StoredField[];
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
  change?: RecordedChange,
): WriteStatement {
  const columns = fields.map((field) => columnOf(field).name).join(", ");
  const parameters = values.map((value, at) => writtenSql(statement, fields[at] as StoredField, value)).join(", ");
  const scope = openScope(statement, model);
  const given = fields.length === 0 ? "DEFAULT VALUES" : `(${columns}) VALUES (${parameters})`;
  const { shape, columns: shown } = returnedColumns(select, scope);
  const insert = `INSERT INTO ${statement.table(model)} AS ${scope.alias} ${given}`;
  if (change === undefined) return { sql: `${insert} RETURNING ${statement.shown(shown)}`, shape };
  const written = `w AS (${insert} RETURNING ${named(shown)}, ${keyAndState(model, change, scope.alias, "after")})`;
  return { sql: withChange(statement, [written], change, ["after"], shown.length), shape };
}

/** What an update sets. */
export const assignmentsSql = (statement: Statement, { fields, values }: WrittenColumns): string =>
  fields.map((field, at) => `${columnOf(field).name} = ${writtenSql(statement, field, values[at])}`).join(", ");

/** The statement of an update by a unique key. */
export function updateSql(
  statement: Statement,
  model: Model,
  written: WrittenColumns,
  where: Clause,
  select: Clause | undefined,
  change?: RecordedChange,
): WriteStatement {
  const changes = assignmentsSql(statement, written);
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, columns: shown } = returnedColumns(select, scope);
  const table = `${statement.table(model)} AS ${scope.alias}`;
  const set = `UPDATE ${table} SET ${changes}`;
  if (change === undefined) return { sql: `${set} WHERE ${condition} RETURNING ${statement.shown(shown)}`, shape };
  const { locked, isSame } = lockedRows(scope, condition, change);
  const after = `b.k, b.before, ${stateJson(change.fields, scope.alias)} AS after`;
  const updated = `w AS (${set} FROM b WHERE ${isSame} RETURNING ${named(shown)}, ${after})`;
  return { sql: withChange(statement, [locked, updated], change, ["before", "after"], shown.length), shape };
}

/**
 * The rows `b` that a write changes, with their key as `k` and their state as `before`. They are locked first, so that
 * the state is the one that the write changes; many of them in the order of their keys, so that two writes of the same
 * rows do not deadlock.
 */
export function lockedRows(
  { statement, model, alias }: Scope,
  condition: string,
  change: RecordedChange,
  { isMany = false, lock = "UPDATE" }: { readonly isMany?: boolean; readonly lock?: LockStrength } = {},
): { readonly locked: string; readonly isSame: string } {
  const keys = (model.key?.fields ?? []).map((field) => `${alias}.${columnOf(field).name}`);
  const columns = keys.map((key, at) => `${key} AS k${at}`).join(", ");
  const order = isMany ? ` ORDER BY ${keys.join(", ")}` : "";
  const from = `FROM ${statement.table(model)} AS ${alias} WHERE ${condition}${order} FOR ${lock}`;
  return {
    locked: `b AS MATERIALIZED (SELECT ${columns}, ${keyAndState(model, change, alias, "before")} ${from})`,
    isSame: keys.map((key, at) => `${key} = b.k${at}`).join(" AND "),
  };
}

/** The key of a row as `k`, and its state as `name`. */
export const keyAndState = (
  model: Model,
  { fields }: Pick<RecordedChange, "fields">,
  alias: string,
  name: "before" | "after",
): string => `${keyText(model, alias)} AS k, ${stateJson(fields, alias)} AS ${name}`;

/** The statement of a delete by a unique key. */
export function deleteSql(
  statement: Statement,
  model: Model,
  where: Clause,
  select: Clause | undefined,
  change?: RecordedChange,
): WriteStatement {
  const scope = openScope(statement, model);
  const condition = conditionOf(where, scope);
  const { shape, columns: shown } = returnedColumns(select, scope);
  const remove = `DELETE FROM ${statement.table(model)} AS ${scope.alias} WHERE ${condition}`;
  if (change === undefined) return { sql: `${remove} RETURNING ${statement.shown(shown)}`, shape };
  const written = `w AS (${remove} RETURNING ${named(shown)}, ${keyAndState(model, change, scope.alias, "before")})`;
  return { sql: withChange(statement, [written], change, ["before"], shown.length), shape };
}

/** The columns of a result, with names. */
const named = (columns: readonly string[]): string => columns.map((column, at) => `${column} AS c${at}`).join(", ");

/** A write of one row in `w` that also inserts its change. */
function withChange(
  statement: Statement,
  parts: readonly string[],
  change: RecordedChange,
  states: readonly ("before" | "after")[],
  count: number,
): string {
  const store = changesSql(statement, change, states);
  const shown = statement.shown(Array.from({ length: count }, (_, at) => `w.c${at}`));
  return `WITH ${parts.join(", ")}, ${store} SELECT ${shown} FROM w`;
}

/** Inserts the changes of the rows in `w`; the row of a change gets its id after its row is written. */
export function changesSql(
  statement: Statement,
  { model, columns }: RecordedChange,
  states: readonly ("before" | "after")[],
  order = "",
): string {
  const columnNamed = (name: string): string => {
    const field = model.fieldsByName.get(name);
    return field?.kind === "scalar" ? columnOf(field).name : giveUp();
  };
  const names = columns.fields.map((field) => columnOf(field).name);
  const values = columns.values.map((value, at) => typedSql(statement, columns.fields[at] as StoredField, value));
  const into = [...names, columnNamed("key"), ...states.map(columnNamed)].join(", ");
  const from = [...values, "w.k", ...states.map((state) => `w.${state}`)].join(", ");
  return `c AS (INSERT INTO ${statement.table(model)} (${into}) SELECT ${from} FROM w${order})`;
}

/** A parameter outside of `VALUES`, where PostgreSQL does not read it by the type of the column. */
function typedSql(statement: Statement, field: StoredField, value: unknown): string {
  const type = field.type === "DateTime" ? "timestamptz" : field.type === "String" ? "text" : giveUp();
  return `${statement.parameter(value)}::${type}`;
}

/** The stored fields of a table, in the order of the schema; not possible if something else is to be written. */
export function writtenFields(model: Model, ...datas: readonly Clause[]): readonly StoredField[] {
  if (model.isView) return giveUp();
  for (const data of datas) {
    for (const name of Object.keys(data)) {
      if (!isStored(model.fieldsByName.get(name))) return giveUp();
    }
  }
  return storedFields(model);
}

/** A condition that identifies one row. */
const conditionOf = (where: Clause, scope: Scope): string =>
  namesRow(where, scope.model) ? conditionWithoutJoins(where, scope) : giveUp();

/** The condition of a write. One on a related row would need a join, which Prisma does not use for writes. */
export function conditionWithoutJoins(where: Clause, scope: Scope): string {
  const condition = whereSql(where, scope);
  return scope.joins.sql === "" ? condition : giveUp();
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
