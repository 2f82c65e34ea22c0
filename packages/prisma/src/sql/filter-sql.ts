import { escapeLike } from "../conditions/escape-like.js";
import { fillUp } from "../conditions/field-condition.js";
import type { Condition, Filter, JsonCondition, Related } from "../filter/filter.js";
import type { StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { isShortNumber } from "../values/exact-float.js";
import { columnOf, parameterOf } from "./column.js";
import { columnIn, joinOne, type Link, linkOf, openMany } from "./link.js";
import { giveUp } from "./not-foldable.js";
import { operandSql } from "./operand-sql.js";
import { fromScope, type Scope } from "./statement.js";

/** The `where` of a query of Prisma Client as SQL; every row without one. */
export const whereSql = (where: Clause | undefined, scope: Scope): string =>
  where === undefined ? "TRUE" : filterSql(scope.statement.filter(where, scope.model), scope);

/** A filter as SQL. Tables that it joins are added to the scope. */
export function filterSql(filter: Filter, scope: Scope): string {
  switch (filter.kind) {
    case "all":
      return joined(filter.filters, " AND ", "TRUE", scope);
    case "any":
      return joined(filter.filters, " OR ", "FALSE", scope);
    case "not":
      return `(NOT ${filterSql(filter.filter, scope)})`;
    case "condition":
      return conditionSql(filter, scope);
    case "json":
      return jsonSql(filter, scope);
    case "related":
      return relatedSql(filter, scope);
    case "opaque":
      return giveUp();
  }
}

function joined(filters: readonly Filter[], word: string, none: string, scope: Scope): string {
  const [first, ...others] = filters;
  if (first === undefined) return none;
  if (others.length === 0) return filterSql(first, scope);
  return `(${filters.map((filter) => filterSql(filter, scope)).join(word)})`;
}

const signs: Readonly<Record<string, string>> = { equals: "=", not: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" };
const listSigns: Readonly<Record<string, string>> = { equals: "=", has: "@>", hasSome: "&&", hasEvery: "@>" };

function conditionSql({ field, operator, operand }: Condition, scope: Scope): string {
  const { statement, model } = scope;
  const { compared, cast, isComparable } = columnOf(field);
  const plain = operandSql(field, scope);
  if (operator === "isNull" || operand === null) {
    const isNull = operator === "isNull" ? operand === true : operator === "equals";
    return `${plain} IS ${isNull ? "" : "NOT "}NULL`;
  }
  if (!isComparable) return giveUp();
  if (field.isList) return listSql(field, operator, operand, scope);
  const column = compared(plain);
  const sign = signs[operator];
  if (sign !== undefined) return `${column} ${sign} ${statement.parameter(parameterOf(field, operand))}${cast}`;
  if (operator === "in" || operator === "notIn") {
    // One parameter for the complete list, so that its length does not change the statement.
    const values = statement.parameter((operand as readonly unknown[]).map((one) => parameterOf(field, one)));
    const list = `(${values}${cast === "" ? "" : "::numeric[]::money[]"})`;
    return operator === "in" ? `${column} = ANY${list}` : `${column} <> ALL${list}`;
  }
  const pattern = statement.parameter(patternOf(field, operator, operand as string));
  const collate = statement.collate(model, field);
  return operator.startsWith("i") ? `${plain}${collate} ILIKE ${pattern}` : `${column}::text${collate} LIKE ${pattern}`;
}

/** A list as one parameter, which PostgreSQL reads by the type of the column. */
function listSql(field: StoredField, operator: string, operand: unknown, scope: Scope): string {
  const column = columnIn(scope.alias, field);
  if (operator === "isEmpty") return operand === true ? `(${column} = '{}' OR ${column} IS NULL)` : `${column} <> '{}'`;
  const values = (operator === "has" ? [operand] : (operand as readonly unknown[])).map((one) =>
    parameterOf(field, one),
  );
  if (operator === "equals" && values.length === 0) return `(${column} = '{}' OR ${column} IS NULL)`;
  return `${column} ${listSigns[operator] ?? giveUp()} ${scope.statement.parameter(values)}`;
}

/** Equality with one value; the other operators are left to Prisma. */
function jsonSql({ field, path, operator, operand }: JsonCondition, { statement, alias }: Scope): string {
  const sign = operator === "equals" || operator === "not" ? signs[operator] : undefined;
  const isValue =
    typeof operand === "boolean" ||
    (typeof operand === "string" && !operand.includes("\0")) ||
    (typeof operand === "number" && Number.isFinite(operand) && isShortNumber(operand));
  if (sign === undefined || !isValue) return giveUp();
  const value = `(${columnIn(alias, field)} #> ${statement.parameter(path)}::text[])::jsonb`;
  return `${value} ${sign} ${statement.parameter(JSON.stringify(operand))}::jsonb`;
}

/** Only the characters around the text of a condition are wildcards. */
function patternOf(field: StoredField, operator: string, text: string): string {
  switch (operator) {
    case "contains":
    case "icontains":
      return `%${escapeLike(text)}%`;
    case "startsWith":
    case "istartsWith":
      return `${escapeLike(text)}%`;
    case "endsWith":
    case "iendsWith":
      return `%${escapeLike(text)}`;
    default:
      return escapeLike(fillUp(field, text));
  }
}

function relatedSql({ field, quantifier, filter }: Related, scope: Scope): string {
  const link = linkOf(scope.statement, scope.model, field);
  if (filter === null) return noRowSql(quantifier === "is", field, scope, link);
  if (quantifier === "is" || quantifier === "isNot") {
    const inner = joinOne(scope, field, link);
    const there = `${columnIn(inner.alias, foreignKey(link)[1])} IS`;
    const met = filterSql(filter, inner);
    return quantifier === "is" ? `(${met} AND ${there} NOT NULL)` : `((NOT ${met}) OR ${there} NULL)`;
  }
  const { inner, condition } = openMany(scope, link);
  const met = filterSql(filter, inner);
  const rows = `EXISTS(SELECT 1 ${fromScope(inner)} WHERE ${condition} AND ${quantifier === "every" ? `(NOT ${met})` : met})`;
  return quantifier === "some" ? rows : `(NOT ${rows})`;
}

/** Whether a relation to one leads to no row. */
function noRowSql(isEmpty: boolean, field: Related["field"], scope: Scope, link: Link): string {
  const [here, there] = foreignKey(link);
  if (link.kind !== "key" || link.pairs.length > 1) return giveUp();
  const column = link.isOwn ? columnIn(scope.alias, here) : columnIn(joinOne(scope, field, link).alias, there);
  return `${column} IS ${isEmpty ? "" : "NOT "}NULL`;
}

const foreignKey = (link: Link): readonly [StoredField, StoredField] =>
  (link.kind === "key" ? link.pairs[0] : undefined) ?? giveUp();
