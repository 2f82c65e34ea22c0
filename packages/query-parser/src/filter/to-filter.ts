import { operators } from "../operators.js";
import type { QueryParserSettings } from "../options.js";
import type { ParsedQuery, QueryValue } from "../parsed-query.js";
import { quote, reject } from "../query-errors.js";
import { overLimit } from "../query-limits.js";
import { type ExpectedValue, expectedField, expectedItem } from "../values/expected-value.js";
import type { Condition, ConditionTree, FieldNode, OperandNode } from "./condition-tree.js";
import { readOperand } from "./read-operand.js";

/**
 * Turns the tree of a query into a plain object in the shape of an ORM filter and reads every value: as the type
 * expected at its place in that object, or by its looks.
 */
export function toFilter(tree: ConditionTree, settings: QueryParserSettings, expected?: ExpectedValue): ParsedQuery {
  const query: ParsedQuery = {};
  for (const [name, field] of tree.parameters) {
    const [value = null] = readField(name, field, 0, settings, expectedField(expected, name));
    if (name === "sort" && Array.isArray(value) && value.length > settings.limits.sortKeys) {
      throw overLimit("sortKeys", settings.limits, name);
    }
    query[name] = value;
  }
  return fillConditions(query, tree.root, 0, settings, expected);
}

/** `depth` counts the surrounding groups. The AND that a field with several filters needs is one too. */
function fillConditions(
  filter: ParsedQuery,
  condition: Condition,
  depth: number,
  settings: QueryParserSettings,
  expected: ExpectedValue | undefined,
): ParsedQuery {
  const apart: ParsedQuery[] = [];
  for (const [name, field] of condition.fields) {
    const filters = readField(name, field, depth, settings, expectedField(expected, name));
    const [only] = filters;
    if (filters.length === 1 && only !== undefined && !Object.hasOwn(filter, name)) filter[name] = only;
    else apart.push(...filters.map((value) => ({ [name]: value })));
  }
  for (const [key, { entries, only }] of condition.groups) {
    const group = expectedField(expected, key);
    const inside = (entry: Condition, index: number) =>
      fillConditions({}, entry, depth + 1, settings, expectedItem(group, index));
    filter[key] =
      only === undefined ? inOrder(entries).map(inside) : fillConditions({}, only, depth + 1, settings, group);
  }
  if (apart.length > 0) {
    if (depth + 1 > settings.limits.groups) throw overLimit("groups", settings.limits);
    const present = (filter.AND ?? []) as ParsedQuery | ParsedQuery[];
    filter.AND = [...(Array.isArray(present) ? present : [present]), ...apart];
  }
  return filter;
}

const inOrder = (entries: ReadonlyMap<number, Condition>): Condition[] =>
  [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);

/** One operator in the terms of the ORM. */
interface Part {
  readonly key: string;
  readonly value: QueryValue;
  readonly insensitive: boolean;
  /** The short form of a part that is alone: `a=1` is `{ a: 1 }`. */
  readonly plain?: QueryValue;
}

/** The filters of one field: one, unless its parts do not fit in one object. */
function readField(
  name: string,
  field: FieldNode,
  depth: number,
  settings: QueryParserSettings,
  expected: ExpectedValue | undefined,
): QueryValue[] {
  const isAlone = field.operands.length === 1 && field.relations.length === 0;
  const parts = field.operands.map((operand) => readPart(operand, settings, expected, isAlone));
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && field.relations.length === 0) return [joinParts([only], only)];
  const direct: ParsedQuery[] = [];
  for (const { operator, parameter, condition } of field.relations) {
    const scalar = field.operands.find((operand) => !isRelationOperator(operand.operator));
    if (scalar !== undefined) throw conflict(name, scalar.parameter, parameter);
    const inside = operator === "direct" ? expected : expectedField(expected, operator);
    const related = fillConditions({}, condition, depth, settings, inside);
    if (operator === "direct") direct.push(related);
    else parts.push({ key: operator, value: related, insensitive: false });
  }
  return [...direct, ...separate(parts).map((filter) => joinParts(filter.parts, filter.first))];
}

/** All operators of one filter share its mode, and each occurs once (contract C18). */
function separate(parts: readonly Part[]): { readonly first: Part; readonly parts: Part[] }[] {
  const filters: { readonly first: Part; readonly parts: Part[] }[] = [];
  for (const part of parts) {
    const room = filters.find(
      ({ first, parts }) => first.insensitive === part.insensitive && !parts.some(({ key }) => key === part.key),
    );
    if (room === undefined) filters.push({ first: part, parts: [part] });
    else room.parts.push(part);
  }
  return filters;
}

function readPart(
  operand: OperandNode,
  settings: QueryParserSettings,
  expected: ExpectedValue | undefined,
  isAlone: boolean,
): Part {
  const { operator } = operand;
  if (operator === "bare") {
    const value = readOperand(operand, settings, isAlone ? expected : expectedField(expected, "equals"));
    return { key: Array.isArray(value) ? "in" : "equals", value, insensitive: false, plain: value };
  }
  if (operator === "isNull") {
    return readOperand(operand, settings) ? { key: "equals", value: null, insensitive: false, plain: null } : notNull;
  }
  const { base, insensitive } = operators[operator];
  return { key: base, value: readOperand(operand, settings, expectedField(expected, base)), insensitive };
}

const notNull: Part = { key: "not", value: null, insensitive: false };

function joinParts(parts: readonly Part[], first: Part): QueryValue {
  if (first.plain !== undefined && parts.length === 1) return first.plain;
  const filter: ParsedQuery = {};
  for (const { key, value } of parts) filter[key] = value;
  if (first.insensitive) filter.mode = "insensitive";
  return filter;
}

const isRelationOperator = (operator: OperandNode["operator"]): boolean =>
  operator !== "bare" && operators[operator].operands === "relation";

function conflict(name: string, scalar: string, relation: string) {
  const message = `The field ${quote(name)} has both a value (${quote(scalar)}) and nested fields (${quote(relation)}).`;
  return reject("ConflictingFilters", relation, message);
}
