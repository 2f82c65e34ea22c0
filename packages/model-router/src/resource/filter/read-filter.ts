import type { RelationField, StoredField } from "@servicekit/prisma";
import { allOf, anyOf, type Filter, notOf, type Quantifier, related } from "@servicekit/prisma/internal";
import { type QueryLimits } from "@servicekit/query-parser";
import {
  type Condition,
  type FieldNode,
  isOperator,
  type OperandNode,
  operators,
} from "@servicekit/query-parser/internal";
import type { Resource, Resources } from "../resource.js";
import type { QueryIssues } from "./query-issues.js";
import { bareOperator, readCondition, takesList } from "./read-condition.js";
import { unknownName } from "./unknown-name.js";

/** The context of reading a filter. */
export interface FilterContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly issues: QueryIssues;
  /** Parameters besides the filters, for suggestions. */
  readonly parameters?: Iterable<string>;
}

/**
 * Adds types to the conditions of a query (contract C9, C10): each field belongs to the model, each relation leads to a
 * resource, each value is read by its field's type. Conditions through the same to-many relation refer to the same
 * related row.
 *
 * @returns `undefined` without a condition; errors are added to the context
 */
export function readFilter(root: Condition, resource: Resource, context: FilterContext): Filter | undefined {
  if (root.fields.size === 0 && root.groups.size === 0) return undefined;
  checkCount(root, context);
  return readGroup(root, resource, context, true);
}

function readGroup(group: Condition, resource: Resource, context: FilterContext, isRoot = false): Filter {
  const filters: Filter[] = [];
  for (const [name, node] of group.fields) filters.push(...readNode(name, node, resource, context, isRoot));
  for (const [word, { entries, only }] of group.groups) {
    const members = only === undefined ? [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry) : [only];
    const inner = members.map((member) => readGroup(member, resource, context));
    filters.push(word === "OR" ? anyOf(inner) : allOf(word === "NOT" ? inner.map(notOf) : inner));
  }
  const read = allOf(filters);
  if (isCompound(read) && groupWords.some((word) => resource.model.fieldsByName.has(word))) {
    const message = `${resource.model.name} accepts one condition at a time, because one of its fields has the name of a group.`;
    context.issues.add(firstParameter(group), "InvalidValue", message);
  }
  return read;
}

/**
 * Prisma's names of condition groups: if fields have these names, which must be hidden, conditions cannot be combined.
 */
const groupWords = ["AND", "OR", "NOT"] as const;

const isCompound = (filter: Filter): boolean =>
  filter.kind === "any" || filter.kind === "not" || (filter.kind === "all" && filter.filters.length > 0);

const firstParameter = (group: Condition): string => {
  for (const { parameter } of operandsOf(group)) return parameter;
  return "";
};

/** All conditions on one name: a relation, a field, or neither. */
function readNode(
  name: string,
  node: FieldNode,
  resource: Resource,
  context: FilterContext,
  isRoot: boolean,
): readonly Filter[] {
  const relation = resource.relations.get(name);
  if (relation !== undefined) return readRelation(relation, node, context);
  const field = resource.queryable.get(name);
  const { operands, relations } = node;
  if (field !== undefined) {
    for (const { parameter, condition, operator } of relations) {
      const words = [...(operator === "direct" ? [] : [operator]), ...firstPath(condition)].join("__");
      rejectOperator(parameter, field, words, resource, context);
    }
    return operands.flatMap((operand) => readOperand(operand, field, resource, context) ?? []);
  }
  for (const { parameter } of [...operands, ...relations]) {
    const isAlone = isRoot && parameter === name;
    context.issues.add(parameter, "UnknownField", () =>
      unknownName(name, resource, {
        wants: "either",
        known: queryable(resource, isAlone ? context.parameters : []),
      }),
    );
  }
  return [];
}

function readOperand(
  { operator: written, parameter: name, values, isList }: OperandNode,
  field: StoredField,
  resource: Resource,
  context: FilterContext,
): Filter | undefined {
  const isBare = written === "bare";
  const operator = isBare ? bareOperator(field, values, isList) : written;
  if (isList && !takesList(field, operator)) {
    const message = `${name} takes one value: ${operator} is not an operator of lists.`;
    context.issues.add(name, "InvalidValue", message);
    return undefined;
  }
  if (!(resource.operators.get(field.name) ?? []).includes(operator)) {
    rejectOperator(name, field, operator, resource, context);
    return undefined;
  }
  return readCondition({ name, field, operator, isBare, values }, context.limits, context.issues);
}

function rejectOperator(
  parameter: string,
  { name }: StoredField,
  operator: string,
  { model, operators: known }: Resource,
  { issues }: FilterContext,
): void {
  const allowed = known.get(name) ?? [];
  const message =
    allowed.length === 0
      ? `The field ${name} of ${model.name} cannot be filtered, because its name is that of a group.`
      : `The field ${name} of ${model.name} has no operator ${operator}; expected one of ${allowed.join(", ")}.`;
  issues.add(parameter, "UnknownOperator", message);
}

const quantifiers = { one: ["is", "isNot"], many: ["some", "every", "none"] } as const;

function readRelation(
  field: RelationField,
  { operands, relations }: FieldNode,
  context: FilterContext,
): readonly Filter[] {
  const target = context.resources.get(field.type);
  if (target === undefined) return [];
  const words: readonly Quantifier[] = field.isList ? quantifiers.many : quantifiers.one;
  const usual: Quantifier = field.isList ? "some" : "is";
  const inside = new Map<Quantifier, Filter[]>();
  const put = (quantifier: Quantifier, filter: Filter): void => {
    inside.set(quantifier, [...(inside.get(quantifier) ?? []), filter]);
  };
  for (const { operator, parameter, condition } of relations) {
    const quantifier = operator === "direct" ? usual : words.find((word) => word === operator);
    if (quantifier === undefined)
      context.issues.add(
        parameter,
        "UnknownField",
        unknownName(operator, target, { wants: "either", known: queryable(target) }),
      );
    else put(quantifier, readGroup(condition, target, context));
  }
  const filters: Filter[] = [];
  for (const operand of operands) {
    const named = namesField(operand, target);
    if (named !== undefined)
      put(usual, readOperand({ ...operand, operator: "bare" }, named, target, context) ?? allOf([]));
    else filters.push(...readNull(operand, field, context.issues));
  }
  return [...filters, ...[...inside].map(([quantifier, given]) => related(field, quantifier, allOf(given)))];
}

/** `related__in=1`, if the related model has a field with the name of an operator. */
const namesField = ({ operator }: OperandNode, { queryable: fields }: Resource): StoredField | undefined =>
  operator === "bare" ? undefined : fields.get(operator);

/** `author=null`, `author__is=null` and `author__isNull=true` match an empty to-one relation. */
function readNull(
  { operator, parameter, values, isList }: OperandNode,
  field: RelationField,
  issues: QueryIssues,
): readonly Filter[] {
  const value = values.length === 1 && !isList ? values[0] : undefined;
  const matchesNull = value === "null" && (operator === "bare" || operator === "is" || operator === "isNot");
  const isNull = operator === "isNull" ? readBoolean(value) : matchesNull ? operator !== "isNot" : undefined;
  if (!field.isList && !field.isRequired && isNull !== undefined)
    return [related(field, isNull ? "is" : "isNot", null)];
  const hint = field.isList ? "some, every or none" : field.isRequired ? "is or isNot" : "isNull";
  issues.add(parameter, "InvalidValue", `${parameter} filters a relation: add a field of it, or use ${hint}.`);
  return [];
}

const readBoolean = (text: string | undefined): boolean | undefined =>
  text === "true" ? true : text === "false" ? false : undefined;

/** The names and the operator of the first condition. */
function firstPath({ fields, groups }: Condition): readonly string[] {
  const [field] = fields;
  if (field === undefined) {
    const [[group, { entries, only }] = ["", { entries: new Map<string, Condition>(), only: undefined }]] = groups;
    const [entry = only] = entries.values();
    const word = group.toLowerCase();
    return entry === undefined ? [word] : [word, ...firstPath(entry)];
  }
  const [name, { operands, relations }] = field;
  const [operand] = operands;
  const [relation] = relations;
  if (operand !== undefined) return operand.operator === "bare" ? [name] : [name, operand.operator];
  return relation === undefined ? [name] : [name, ...firstPath(relation.condition)];
}

/** A repeated value is a condition each time, unless its operator takes a list. */
function checkCount(root: Condition, { limits, issues }: FilterContext): void {
  const all = [...operandsOf(root)];
  const count = ({ operator, values }: OperandNode): number =>
    isOperator(operator) && operators[operator].operands !== "list" ? values.length : 1;
  const conditions = all.reduce((sum, operand) => sum + count(operand), 0);
  if (conditions <= limits.terms) return;
  const { parameter } = all.reduce((max, one) => (one.values.length > max.values.length ? one : max));
  const message = `The query has ${conditions} conditions. Maximum: ${limits.terms}.`;
  issues.add(parameter, "TooManyTerms", message);
}

function* operandsOf(condition: Condition): Generator<OperandNode> {
  for (const { operands, relations } of condition.fields.values()) {
    yield* operands;
    for (const relation of relations) yield* operandsOf(relation.condition);
  }
  for (const { entries, only } of condition.groups.values()) {
    for (const entry of entries.values()) yield* operandsOf(entry);
    if (only !== undefined) yield* operandsOf(only);
  }
}

/** The names that a condition may use. */
const queryable = ({ queryable: fields, relations }: Resource, more: Iterable<string> = []): readonly string[] => [
  ...fields.keys(),
  ...relations.keys(),
  ...more,
];
