import type { Model, Models, RelationField } from "@servicekit/prisma";
import type { Filter } from "@servicekit/prisma/internal";

export type WorldRow = Readonly<Record<string, unknown>>;

/** Rows by model, and the pairs of keys of each relation without a foreign key. */
export interface World {
  readonly rows: Readonly<Record<string, readonly WorldRow[]>>;
  readonly links: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>>;
}

/** Whether a row matches a filter, as in SQL: `undefined` for unknown. Independent of the code under test. */
export function evaluate(
  filter: Filter,
  row: WorldRow,
  model: Model,
  models: Models,
  database: World,
): boolean | undefined {
  const inner = (one: Filter, at = row, of = model): boolean | undefined => evaluate(one, at, of, models, database);
  switch (filter.kind) {
    case "all":
      return every(filter.filters.map((one) => inner(one)));
    case "any":
      return negate(every(filter.filters.map((one) => negate(inner(one)))));
    case "not":
      return negate(inner(filter.filter));
    case "condition":
      return compare(row[filter.field.name] ?? null, filter.operator, filter.operand);
    case "related": {
      const target = models.get(filter.field.type) as Model;
      const found = relatedRows(filter.field, row, model, models, database);
      const { filter: requested, quantifier } = filter;
      if (requested === null) return (found.length === 0) === (quantifier === "is");
      const responses = found.map((one) => inner(requested, one, target));
      if (quantifier === "some") return responses.includes(true);
      if (quantifier === "none") return !responses.includes(true);
      if (quantifier === "every") return !responses.includes(false);
      const response = found.length === 0 ? false : responses[0];
      return quantifier === "is" ? response : negate(response);
    }
    case "json":
    case "opaque":
      throw new Error("Nothing is known of it.");
  }
}

const negate = (known: boolean | undefined): boolean | undefined => (known === undefined ? undefined : !known);
const every = (known: readonly (boolean | undefined)[]): boolean | undefined =>
  known.includes(false) ? false : known.includes(undefined) ? undefined : true;

/** The rows that a relation leads to. */
function relatedRows(
  field: RelationField,
  row: WorldRow,
  model: Model,
  models: Models,
  { rows, links }: World,
): readonly WorldRow[] {
  const there = rows[field.type] ?? [];
  const { fields, references, opposite } = field.relation;
  if (fields.length > 0) {
    if (fields.some((name) => (row[name] ?? null) === null)) return [];
    return there.filter((one) => fields.every((name, index) => one[references[index] ?? ""] === row[name]));
  }
  const back = models.get(field.type)?.fieldsByName.get(opposite ?? "") as RelationField;
  if (back.relation.fields.length > 0) {
    const { fields: theirs, references: ours } = back.relation;
    return there.filter((one) => theirs.every((name, index) => one[name] === row[ours[index] ?? ""]));
  }
  const pairs = links[`${model.name}.${field.name}`] ?? [];
  const [ownKey = ""] = model.key?.fields.map(({ name }) => name) ?? [];
  const [theirKey = ""] = models.get(field.type)?.key?.fields.map(({ name }) => name) ?? [];
  const keys = pairs.filter(([own]) => own === row[ownKey]).map(([, their]) => their);
  return there.filter((one) => keys.includes(one[theirKey]));
}

function compare(value: unknown, operator: string, operand: unknown): boolean | undefined {
  if (operator === "isNull") return (value === null) === operand;
  if (value === null) return undefined;
  const is = (one: unknown): boolean => rank(one) === rank(value);
  switch (operator) {
    case "equals":
      return is(operand);
    case "not":
      return !is(operand);
    case "in":
      return (operand as unknown[]).some(is);
    case "notIn":
      return !(operand as unknown[]).some(is);
    case "lt":
      return rank(value) < rank(operand);
    case "lte":
      return rank(value) <= rank(operand);
    case "gt":
      return rank(value) > rank(operand);
    case "gte":
      return rank(value) >= rank(operand);
  }
  const isLoose = operator.startsWith("i");
  const [text, part] = [value, operand].map((one) => (isLoose ? String(one).toLowerCase() : String(one))) as [
    string,
    string,
  ];
  switch (isLoose ? operator.slice(1).toLowerCase() : operator.toLowerCase()) {
    case "contains":
      return text.includes(part);
    case "startswith":
      return text.startsWith(part);
    case "endswith":
      return text.endsWith(part);
    case "equals":
      return text === part;
  }
  throw new Error(`Unknown operator ${operator}.`);
}

const rank = (value: unknown): number | string =>
  value instanceof Date ? value.getTime() : typeof value === "bigint" ? Number(value) : (value as number | string);
