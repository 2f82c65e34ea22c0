import { isPlainObject } from "@servicekit/core/internal";
import { type SeenModels } from "../database/executor.js";
import { isHidden } from "../models/is-hidden.js";
import { isStored } from "../models/is-stored.js";
import { type RelationField, type StoredField } from "../models/model.js";
import { type Clause } from "../queries/query-args.js";
import { type ColumnForm, columnOf } from "./column.js";
import { whereSql } from "./filter-sql.js";
import { columnIn, joinOne, linkOf, openMany } from "./link.js";
import { giveUp } from "./not-foldable.js";
import { orderSql } from "./order-sql.js";
import { fromScope, listOf, type Scope } from "./statement.js";

/** The members of a row, in the order of its columns; `at` is the index of a column. */
export type Shape = readonly Member[];

export type Member =
  | {
      readonly kind: "column";
      readonly name: string;
      readonly at: number;
      readonly field: StoredField;
      readonly form: ColumnForm;
    }
  /** The row of a to-one relation; none if the column is NULL. */
  | { readonly kind: "one"; readonly name: string; readonly at: number; readonly shape: Shape }
  /** The rows of a to-many relation: a line for each, which is a JSON list of texts. */
  | { readonly kind: "many"; readonly name: string; readonly at: number; readonly shape: Shape };

/** Whether NULL in the database is an empty list. */
export const isListed = (member: Member): boolean =>
  member.kind === "many" || (member.kind === "column" && member.form === "list");

/** Whether a member contains the rows of a to-many relation. */
export const containsList = (member: Member): boolean =>
  member.kind === "many" || (member.kind === "one" && member.shape.some(containsList));

/** Compiles a `select` in Prisma's form to columns. */
export function selectSql(
  select: unknown,
  scope: Scope,
  seen: SeenModels | undefined,
): { readonly shape: Shape; readonly columns: readonly string[] } {
  const columns: string[] = [];
  return { shape: shapeOf(select, scope, seen, columns), columns };
}

function shapeOf(select: unknown, scope: Scope, seen: SeenModels | undefined, columns: string[]): Shape {
  if (!isPlainObject(select)) return giveUp();
  const shape: Member[] = [];
  for (const name of Object.keys(select)) {
    const value = select[name];
    const field = scope.model.fieldsByName.get(name);
    if (field === undefined || value === undefined) return giveUp();
    const shown = seen?.model.fieldsByName.get(name) ?? field;
    if (value === false || (seen !== undefined && isHidden(shown))) continue;
    if (field.kind === "relation") {
      const related = seen && { model: seen.models.get(field.type) ?? giveUp(), models: seen.models };
      shape.push(relationMember(field, value, scope, related, columns));
    } else if (!isStored(field) || value !== true) return giveUp();
    else {
      const column = columnOf(field);
      const at = columns.push(column.read(`${scope.alias}.${column.name}`)) - 1;
      shape.push({ kind: "column", name, at, field, form: column.form });
    }
  }
  return shape.length === 0 ? giveUp() : shape;
}

function relationMember(
  field: RelationField,
  value: unknown,
  scope: Scope,
  seen: SeenModels | undefined,
  columns: string[],
): Member {
  if (!isPlainObject(value)) return giveUp();
  const { select, ...args } = value;
  const { name } = field;
  const link = linkOf(scope.statement, scope.model, field);
  if (field.isList) {
    const at = columns.length;
    const { inner, condition } = openMany(scope, link);
    const { shape, columns: own } = selectSql(select, inner, seen);
    columns.push(rowsSql(inner, condition, own, args));
    return { kind: "many", name, at, shape };
  }
  if (Object.keys(args).length > 0 || link.kind !== "key") return giveUp();
  const inner = joinOne(scope, field, link);
  const at = columns.push(columnIn(inner.alias, (link.pairs[0] ?? giveUp())[1])) - 1;
  return { kind: "one", name, at, shape: shapeOf(select, inner, seen, columns) };
}

/** All rows of a relation as one text with a line of JSON for each, created only for the rows of the page. */
function rowsSql(scope: Scope, condition: string, columns: readonly string[], args: Clause): string {
  const { where, orderBy, take, skip, ...more } = args;
  if (Object.keys(more).length > 0) return giveUp();
  const conditions = where === undefined ? "" : ` AND ${whereSql(where as Clause, scope)}`;
  const order = orderSql(orderBy, scope);
  const limits = limitSql(take, skip, scope);
  return `(SELECT string_agg(to_json(x.r)::text, E'\\n') FROM (SELECT ${listOf(columns)} ${fromScope(scope)} WHERE ${condition}${conditions}${order}${limits}) AS x)`;
}

/** `LIMIT` and `OFFSET` as parameters, so that pages share a statement. */
export function limitSql(take: unknown, skip: unknown, { statement }: Scope): string {
  const limit = take === undefined ? "" : ` LIMIT ${statement.parameter(countOf(take))}`;
  return skip === undefined || skip === 0 ? limit : `${limit} OFFSET ${statement.parameter(countOf(skip))}`;
}

const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : giveUp();
