import { isPlainObject, sortedJson } from "@servicekit/core/internal";
import { ormErrors } from "../errors/orm-errors.js";
import { isStored } from "../models/is-stored.js";
import type { Field, Model, Models, RelationField, StoredField } from "../models/model.js";
import { markPattern } from "../providers/text-pattern.js";
import type { Clause } from "../queries/query-args.js";
import { exactFloat } from "../values/exact-float.js";
import { hasDate, yearsText } from "../values/has-date.js";
import { jsonNull } from "../values/prisma-nulls.js";
import { comparesMoments, momentCondition } from "./moment-condition.js";

/**
 * Turns the arguments of a client of PostgreSQL, with those of the relations in `select` and `include`, into arguments with
 * the same meaning for a client without modes: text operators carry their kind in a marked pattern, equal JSON values
 * are stored and compared with the same order of keys, and times are compared in milliseconds, as rows contain them.
 */
export function portableArguments(args: Clause, model: Model, models: Models): Clause {
  const changed: Record<string, unknown> = { ...args };
  if (isPlainObject(args.where)) changed.where = conditionOf(args.where, model, models);
  if (args.orderBy !== undefined) changed.orderBy = orderOf(args.orderBy, model, models);
  if (args.data !== undefined) changed.data = dataOf(args.data, model);
  for (const word of ["select", "include"]) {
    const selection = args[word];
    if (isPlainObject(selection)) changed[word] = selectionOf(selection, model, models);
  }
  return changed;
}

/**
 * Adds the constant defaults of missing `Json` fields to new rows, because Prisma would send the text of the schema, which is not
 * equal to the same value with another order of keys.
 */
export function withJsonDefaults(args: Clause, model: Model): Clause {
  const defaults = model.fields.flatMap((field) =>
    isStored(field) && field.type === "Json" && field.default !== undefined && "value" in field.default
      ? [[field.name, field.default.value ?? jsonNull] as const]
      : [],
  );
  if (defaults.length === 0) return args;
  const fill = (row: unknown): unknown => (isPlainObject(row) ? { ...Object.fromEntries(defaults), ...row } : row);
  return { ...args, data: Array.isArray(args.data) ? args.data.map(fill) : fill(args.data) };
}

/** An order in which NULL has the place that PostgreSQL gives it. */
function orderOf(order: unknown, model: Model, models: Models): unknown {
  if (Array.isArray(order)) return order.map((one) => orderOf(one, model, models));
  if (!isPlainObject(order)) return order;
  return Object.fromEntries(
    Object.entries(order).map(([name, value]) => {
      const field = model.fieldsByName.get(name);
      const related = relatedOf(model, name, models);
      if (related !== undefined && isPlainObject(value)) return [name, relatedOrder(value, related, models)];
      const isNullable = isStored(field) && !field.isRequired;
      return [name, isNullable && typeof value === "string" ? withNulls(value) : value];
    }),
  );
}

/** The same for a row that may not exist, whose required fields are NULL then. */
const relatedOrder = (order: Clause, model: Model, models: Models): Clause =>
  Object.fromEntries(
    Object.entries(order).map(([name, value]) => {
      const related = relatedOf(model, name, models);
      if (related !== undefined && isPlainObject(value)) return [name, relatedOrder(value, related, models)];
      const { isRequired = true } = model.fieldsByName.get(name) ?? {};
      return [name, !isRequired && typeof value === "string" ? withNulls(value) : value];
    }),
  );

const withNulls = (sort: string): Clause => ({ sort, nulls: sort === "desc" ? "first" : "last" });

function selectionOf(selection: Clause, model: Model, models: Models): Clause {
  return Object.fromEntries(
    Object.entries(selection).map(([name, value]) => {
      if (!isPlainObject(value)) return [name, value];
      if (name === "_count" && isPlainObject(value.select))
        return [name, { ...value, select: selectionOf(value.select, model, models) }];
      const related = relatedOf(model, name, models);
      return [name, related === undefined ? value : portableArguments(value, related, models)];
    }),
  );
}

function relatedOf(model: Model, name: string, models: Models): Model | undefined {
  const field = model.fieldsByName.get(name);
  return field?.kind === "relation" ? models.get(field.type) : undefined;
}

/**
 * Rejects a date that the column does not store: the database would compare it as text, and could find every row.
 *
 * @param value a date, a list, or operators of it
 * @throws {HttpError} 400
 */
function requireDates(field: Field | undefined, value: unknown): void {
  if (field?.kind !== "scalar" || field.type !== "DateTime") return;
  if (Array.isArray(value)) for (const item of value) requireDates(field, item);
  else if (isPlainObject(value)) for (const item of Object.values(value)) requireDates(field, item);
  else if (value instanceof Date && !hasDate(field, value))
    throw ormErrors.ValueOutOfRange(`${field.name} must be a date${yearsText(field)} in this database.`);
}

function dataOf(data: unknown, model: Model): unknown {
  if (Array.isArray(data)) return data.map((row) => dataOf(row, model));
  if (!isPlainObject(data)) return data;
  for (const [name, value] of Object.entries(data)) requireDates(model.fieldsByName.get(name), value);
  const json = model.fields.filter(({ kind, type, name }) => kind === "scalar" && type === "Json" && name in data);
  if (json.length === 0) return data;
  return { ...data, ...Object.fromEntries(json.map(({ name }) => [name, sortedJson(data[name])])) };
}

function conditionOf(where: Clause, model: Model, models: Models): Clause {
  const own: Record<string, unknown> = {};
  const moments: Clause[] = [];
  for (const [name, value] of Object.entries(where)) {
    const field = model.fieldsByName.get(name);
    requireDates(field, value);
    if (name === "AND" || name === "OR" || name === "NOT") own[name] = eachOf(value, model, models);
    else if (field?.kind === "scalar" && comparesMoments(field)) moments.push(momentCondition(name, value));
    else if (field?.kind === "relation") own[name] = relationCondition(value, field, models);
    else if (field?.type === "Float") own[name] = exactOperands(value);
    else if (field?.kind === "scalar" && isPlainObject(value)) own[name] = fieldCondition(value, field);
    else if (field === undefined && isPlainObject(value)) own[name] = conditionOf(value, model, models);
    else own[name] = field?.type === "Json" ? sortedJson(value) : value;
  }
  if (moments.length === 0) return own;
  // Beside the others: Prisma finds a unique key only there.
  return { ...own, AND: [...[own.AND ?? []].flat(), ...moments] };
}

/** The operands of a floating-point number in a form that Prisma does not round. */
const exactOperands = (value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([operator, operand]) => [operator, exactOperands(operand)]))
    : exactFloat(value);

const eachOf = (value: unknown, model: Model, models: Models): unknown =>
  Array.isArray(value)
    ? value.map((item) => eachOf(item, model, models))
    : isPlainObject(value)
      ? conditionOf(value, model, models)
      : value;

const quantifiers: ReadonlySet<string> = new Set(["some", "every", "none", "is", "isNot"]);

function relationCondition(value: unknown, { type }: RelationField, models: Models): unknown {
  const related = models.get(type);
  if (related === undefined || !isPlainObject(value)) return value;
  if (!Object.keys(value).every((word) => quantifiers.has(word))) return conditionOf(value, related, models);
  return Object.fromEntries(Object.entries(value).map(([word, inner]) => [word, eachOf(inner, related, models)]));
}

/** The operators of one field. */
function fieldCondition(operators: Clause, field: StoredField): Clause {
  if (field.type === "Json") {
    // A path of PostgreSQL is a list, and compares in another way.
    if (Array.isArray(operators.path)) throw unsupported(field, "paths of JSON as lists");
    const compares = (word: string): boolean => word === "equals" || word === "not";
    return Object.fromEntries(
      Object.entries(operators).map(([word, value]) => [word, compares(word) ? sortedJson(value) : value]),
    );
  }
  if (field.type !== "String") return operators;
  const { mode, ...others } = operators;
  const isInsensitive = mode === "insensitive";
  const changed: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(others)) {
    if (word === "not" && isPlainObject(value)) changed.not = fieldCondition({ mode: "default", ...value }, field);
    else if (typeof value !== "string" || !isText(word)) {
      if (isInsensitive && word !== "not") throw unsupported(field, `case-insensitive ${word}`);
      changed[word] = value;
    } else if (word !== "equals") changed[word] = markPattern(isInsensitive ? "insensitive" : "exact", value);
    else if (!isInsensitive) changed.equals = value;
    else if ("contains" in others) throw unsupported(field, "case-insensitive equals beside contains");
    else changed.contains = markPattern("equal", value);
  }
  return changed;
}

const isText = (word: string): boolean => /^(equals|contains|startsWith|endsWith)$/.test(word);

const unsupported = ({ name }: StoredField, what: string) =>
  ormErrors.InvalidArguments(`This database has no ${what}, which a condition of ${name} uses.`);
