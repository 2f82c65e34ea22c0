import { isPlainObject } from "@servicekit/core/internal";
import type { SeenModels } from "../database/executor.js";
import type { Model, StoredField, UniqueKey } from "../models/model.js";
import type { Clause, UniqueArgs } from "../queries/query-args.js";
import { type ColumnForm, columnOf, parameterOf } from "./column.js";
import { whereSql } from "./filter-sql.js";
import { columnIn } from "./link.js";
import { giveUp } from "./not-foldable.js";
import { type Shape, selectSql } from "./shape.js";
import { fromScope, openScope, type Scope, type Statement } from "./statement.js";

/** Reads by a unique key that differ only in the key: each alone, and many together. */
export interface KeyedStatement {
  readonly shape: Shape;
  /** The common parameters; the values of the key follow them. */
  readonly shared: readonly unknown[];
  /** For one key. */
  readonly alone: string;
  /**
   * For a list of values for each part of the key; the columns of each row are followed by the number of its key, from
   * one on; `undefined` if that is not possible.
   */
  readonly together: string | undefined;
}

/** A read by a unique key. */
export interface KeyedRead {
  readonly statement: KeyedStatement;
  /** The placeholders of the key's values. */
  readonly key: readonly unknown[];
}

/** Compiles reads by a unique key; repeated ones are compiled once. */
export class KeyedReads {
  readonly #open: () => Statement;
  /** By selection, if the condition is only the key. */
  readonly #known = new WeakMap<object, { readonly key: UniqueKey; readonly seen: SeenModels; made: KeyedStatement }>();

  constructor(open: () => Statement) {
    this.#open = open;
  }

  fold(model: Model, { where, select, ...more }: UniqueArgs, seen?: SeenModels): KeyedRead {
    const key = model.uniqueKeys.find((one) => isNamedBy(where, one));
    if (key === undefined || Object.keys(more).length > 0) return giveUp();
    const { [key.name]: named, ...rest } = where;
    const values = valuesOf(key, named);
    const isPlain = select !== undefined && seen !== undefined && Object.keys(rest).length === 0;
    const known = isPlain ? this.#known.get(select) : undefined;
    if (known?.key === key && known.seen.model === seen?.model && known.seen.models === seen.models)
      return { statement: known.made, key: values };
    const made = keyedSql(this.#open(), model, { key, select, rest, seen });
    // A mutable selection may differ in the next read.
    if (isPlain && Object.isFrozen(select) && made.shape.every(({ kind }) => kind === "column"))
      this.#known.set(select, { key, seen, made });
    return { statement: made, key: values };
  }
}

/** The input of a keyed read. */
interface KeyedArgs {
  readonly key: UniqueKey;
  readonly select: Clause | undefined;
  /** The conditions besides the key. */
  readonly rest: Clause;
  readonly seen: SeenModels | undefined;
}

function keyedSql(statement: Statement, model: Model, { key, select, rest, seen }: KeyedArgs): KeyedStatement {
  const scope = openScope(statement, model);
  const { shape, columns } = selectSql(select, scope, seen);
  const more = Object.keys(rest).length === 0 ? "" : ` AND ${whereSql(rest, scope)}`;
  const shared = statement.values;
  const isKey = key.fields.map((field, index) => {
    const { compared, cast } = columnOf(field);
    return `${compared(columnIn(scope.alias, field))} = $${shared.length + index + 1}${cast}`;
  });
  const alone = `SELECT ${statement.shown(columns)} ${fromScope(scope)} WHERE ${isKey.join(" AND ")}${more} LIMIT 1`;
  return { shape, shared, alone, together: togetherSql(scope, key, columns, more) };
}

/** The types of keys that PostgreSQL compares in a list as it compares single values. */
const keyTypes: Readonly<Partial<Record<ColumnForm, string>>> = { integer: "int4", bigint: "int8", text: "text" };

/** The same by native type, if values of several types have one form. */
const togetherTypes: Readonly<Record<string, string>> = {
  Uuid: "uuid",
  Inet: "inet",
  Bit: "bit",
  VarBit: "varbit",
  Oid: "oid",
};

/** The rows of many keys. The keys are joined first, so that they come first in every plan. */
function togetherSql(scope: Scope, { fields }: UniqueKey, columns: readonly string[], more: string) {
  const { statement, model, alias, joins } = scope;
  const types = fields.map((field) => togetherTypes[field.nativeType?.name ?? ""] ?? keyTypes[columnOf(field).form]);
  // The rows of a view may share a key.
  if (model.isView || types.includes(undefined)) return undefined;
  const lists = types.map((type, index) => `$${statement.values.length + index + 1}::${type}[]`).join(", ");
  const names = fields.map((_field, index) => `k${index}`).join(", ");
  const isKey = fields.map((field, index) => `${columnIn(alias, field)} = k.k${index}`).join(" AND ");
  const from = `unnest(${lists}) WITH ORDINALITY AS k(${names}, n) INNER JOIN ${statement.table(model)} AS ${alias} ON ${isKey}`;
  return `SELECT ${statement.shown([...columns, "k.n"])} FROM ${from}${joins.sql} WHERE TRUE${more}`;
}

function valuesOf({ fields }: UniqueKey, named: unknown): readonly unknown[] {
  const [only, ...others] = fields as [StoredField, ...StoredField[]];
  if (others.length === 0) return [keyValue(only, named)];
  if (!isPlainObject(named) || Object.keys(named).length !== fields.length) return giveUp();
  return fields.map((field) => keyValue(field, named[field.name]));
}

const keyValue = (field: StoredField, value: unknown): unknown =>
  columnOf(field).isComparable ? parameterOf(field, value) : giveUp();

/** Whether a condition identifies one row by the values of a unique key. */
export const namesRow = (where: Clause, { uniqueKeys }: Model): boolean =>
  uniqueKeys.some((key) => isNamedBy(where, key));

const isNamedBy = (where: Clause, { name, fields }: UniqueKey): boolean =>
  Object.hasOwn(where, name) && (fields.length > 1 || !isPlainObject(where[name]));
