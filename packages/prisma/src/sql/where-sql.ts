import { isPlainObject } from "@servicekit/core/internal";
import type { Field, RelationField, StoredField } from "../model.js";
import { columnOf, parameterOf } from "./column.js";
import { columnIn, joinOne, linkOf, openMany } from "./link.js";
import { giveUp } from "./not-foldable.js";
import { fromScope, type Scope } from "./statement.js";

/** The fold of a condition in Prisma's form to SQL; what is joined for it is put into the scope. */
export function whereSql(where: unknown, scope: Scope): string {
  return conjunction(membersOf(where, scope));
}

const conjunction = (members: readonly string[]): string =>
  members.length === 0 ? "TRUE" : members.length === 1 ? (members[0] as string) : `(${members.join(" AND ")})`;

function membersOf(where: unknown, scope: Scope): string[] {
  if (!isPlainObject(where)) return giveUp();
  const members: string[] = [];
  for (const name of Object.keys(where)) {
    const value = where[name];
    const field = scope.model.fieldsByName.get(name);
    if (name === "AND") for (const one of listed(value)) members.push(...membersOf(one, scope));
    else if (name === "OR") members.push(alternative(value, scope));
    else if (name === "NOT") for (const one of listed(value)) members.push(negation(one, scope));
    else if (field === undefined) members.push(...keyMembers(name, value, scope));
    else members.push(...fieldMembers(field, value, scope));
  }
  return members;
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Prisma forgets an alternative without members where it stands among others. */
function alternative(value: unknown, scope: Scope): string {
  if (!Array.isArray(value) || value.length === 0) return giveUp();
  return `(${value.map((one) => whereSql(one, scope)).join(" OR ")})`;
}

function negation(value: unknown, scope: Scope): string {
  const members = membersOf(value, scope);
  return members.length === 0 ? giveUp() : `(NOT ${conjunction(members)})`;
}

/** A key of several fields, such as `{ a_b: { a: 1, b: 2 } }`. */
function keyMembers(name: string, value: unknown, scope: Scope): string[] {
  const key = scope.model.uniqueKeys.find((one) => one.name === name && one.fields.length > 1);
  if (key === undefined || !isPlainObject(value)) return giveUp();
  if (Object.keys(value).length !== key.fields.length) return giveUp();
  return key.fields.map((field) => equal(field, value[field.name], scope));
}

function fieldMembers(field: Field, value: unknown, scope: Scope): string[] {
  if (field.kind === "relation") return relationMembers(field, value, scope);
  if (field.kind === "unsupported" || !columnOf(field).isComparable) return giveUp();
  if (!isPlainObject(value)) return [equal(field, value, scope)];
  const { mode, ...operators } = value;
  if (mode !== undefined && mode !== "insensitive") return giveUp();
  if (field.isList) return Object.keys(operators).map((one) => listCompared(field, one, operators[one], scope));
  const members = Object.keys(operators).map((operator) =>
    mode === undefined
      ? compared(field, operator, operators[operator], scope)
      : looselyCompared(field, operator, operators[operator], scope),
  );
  return members.length === 0 ? giveUp() : members;
}

function equal(field: StoredField, value: unknown, scope: Scope): string {
  const column = columnIn(scope.alias, field);
  if (value === null) return field.isRequired && !field.isList ? giveUp() : `${column} IS NULL`;
  if (field.isList) return listCompared(field, "equals", value, scope);
  const { compared, cast } = columnOf(field);
  return `${compared(column)} = ${scope.statement.parameter(parameterOf(field, value))}${cast}`;
}

/** A list as one parameter, which PostgreSQL reads by the type of the column. */
function listCompared(field: StoredField, operator: string, value: unknown, scope: Scope): string {
  const column = columnIn(scope.alias, field);
  if (value === null && operator === "equals") return `${column} IS NULL`;
  const listOf = (values: unknown): string =>
    Array.isArray(values)
      ? scope.statement.parameter(values.map((one) => (one === null ? giveUp() : parameterOf(field, one))))
      : giveUp();
  switch (operator) {
    case "equals":
      return `${column} = ${listOf(value)}`;
    case "has":
      return `${column} @> ${listOf([value])}`;
    case "hasSome":
      return `${column} && ${listOf(value)}`;
    case "hasEvery":
      return `${column} @> ${listOf(value)}`;
    case "isEmpty":
      return typeof value === "boolean" ? `${column} ${value ? "=" : "<>"} '{}'` : giveUp();
    default:
      return giveUp();
  }
}

const signs: Readonly<Record<string, string>> = { lt: "<", lte: "<=", gt: ">", gte: ">=" };

function compared(field: StoredField, operator: string, value: unknown, scope: Scope): string {
  const { alias, statement } = scope;
  const { compared: written, cast } = columnOf(field);
  const column = written(columnIn(alias, field));
  const list = cast === "" ? "" : "::numeric[]::money[]";
  switch (operator) {
    case "equals":
      return equal(field, value, scope);
    case "not":
      if (value === null) return field.isRequired ? giveUp() : `${column} IS NOT NULL`;
      return `${column} <> ${statement.parameter(parameterOf(field, value))}${cast}`;
    // One parameter for the whole list, so that its length makes no other statement.
    case "in":
      return `${column} = ANY(${statement.parameter(valuesOf(field, value))}${list})`;
    case "notIn":
      return `${column} <> ALL(${statement.parameter(valuesOf(field, value))}${list})`;
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      if (field.kind === "enum" || field.type === "Boolean" || field.type === "Bytes") return giveUp();
      return `${column} ${signs[operator]} ${statement.parameter(parameterOf(field, value))}${cast}`;
    default:
      return `${column}::text${statement.collate(scope.model, field)} LIKE ${statement.parameter(patternOf(field, operator, value))}`;
  }
}

function looselyCompared(field: StoredField, operator: string, value: unknown, scope: Scope): string {
  const pattern = operator === "equals" ? textOf(field, value) : patternOf(field, operator, value);
  return `${columnIn(scope.alias, field)}${scope.statement.collate(scope.model, field)} ILIKE ${scope.statement.parameter(pattern)}`;
}

/** The text stands for itself already; only what surrounds it is added. */
function patternOf(field: StoredField, operator: string, value: unknown): string {
  const text = textOf(field, value);
  if (operator === "contains") return `%${text}%`;
  if (operator === "startsWith") return `${text}%`;
  return operator === "endsWith" ? `%${text}` : giveUp();
}

function textOf(field: StoredField, value: unknown): string {
  const { form } = columnOf(field);
  if (form !== "padded" && !columnOf(field).isText) return giveUp();
  return typeof value === "string" ? value : giveUp();
}

function valuesOf(field: StoredField, value: unknown): unknown[] {
  // Prisma refuses lists for a Boolean.
  if (!Array.isArray(value) || field.type === "Boolean") return giveUp();
  return value.map((one) => parameterOf(field, one));
}

function relationMembers(field: RelationField, value: unknown, scope: Scope): string[] {
  if (!isPlainObject(value)) return giveUp();
  const words = Object.keys(value);
  if (words.length === 0) return giveUp();
  return words.map((word) => relationMember(field, word, value[word], scope));
}

function relationMember(field: RelationField, word: string, value: unknown, scope: Scope): string {
  const link = linkOf(scope.statement, scope.model, field);
  if (field.isList) {
    if (word !== "some" && word !== "every" && word !== "none") return giveUp();
    const { inner, condition } = openMany(scope, link);
    const asked = whereSql(value, inner);
    const met = word === "every" ? `(NOT ${asked})` : asked;
    const rows = `EXISTS(SELECT 1 ${fromScope(inner)} WHERE ${condition} AND ${met})`;
    return word === "some" ? rows : `(NOT ${rows})`;
  }
  if ((word !== "is" && word !== "isNot") || link.kind !== "key") return giveUp();
  if (value === null) {
    const [pair, ...more] = link.pairs;
    if (pair === undefined || more.length > 0) return giveUp();
    const column = link.isOwn ? columnIn(scope.alias, pair[0]) : columnIn(joinOne(scope, field, link).alias, pair[1]);
    return `${column} IS ${word === "is" ? "" : "NOT "}NULL`;
  }
  const inner = joinOne(scope, field, link);
  const there = `${columnIn(inner.alias, (link.pairs[0] ?? giveUp())[1])} IS`;
  const asked = whereSql(value, inner);
  return word === "is" ? `(${asked} AND ${there} NOT NULL)` : `((NOT ${asked}) OR ${there} NULL)`;
}
