import { isObject } from "@servicekit/core/internal";
import type { RelationField, StoredField } from "@servicekit/prisma";
import {
  allOf,
  anyOf,
  condition,
  everyRow,
  exactOperators,
  type Filter,
  looseOperators,
  notOf,
  type Quantifier,
  related,
} from "@servicekit/prisma/internal";
import { takesList } from "../filter/read-condition.js";
import type { Resource } from "../resource.js";
import { type PrismaOptionsContext, reject, rejectName } from "./context.js";
import { readJsonOperand } from "./read-json-operand.js";

/** The place of a condition in the options. */
interface Place {
  readonly path: readonly string[];
  readonly groups: number;
  readonly hops: number;
}

/**
 * Reads a Prisma `where` (contract C22). Each condition is rebuilt from the field and the value, so that only values
 * reach the database; texts are literal, as in all filters.
 */
export function readOptionsWhere(
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): Filter | undefined {
  return readGroup(input, resource, { path, groups: 0, hops: 0 }, context);
}

function readGroup(
  input: unknown,
  resource: Resource,
  place: Place,
  context: PrismaOptionsContext,
): Filter | undefined {
  if (!isObject(input)) {
    reject(context, place.path, "InvalidValue", "must be an object of conditions");
    return undefined;
  }
  const parts = Object.entries(input).map(([name, value]): Filter | undefined => {
    const inner = { ...place, path: [...place.path, name] };
    const relation = resource.relations.get(name);
    const field = resource.listed.get(name);
    if (field !== undefined) return readConditions(field, value, resource, inner.path, context);
    if (relation !== undefined) return readRelation(relation, value, inner, context);
    if (name === "AND" || name === "OR" || name === "NOT") return readMembers(name, value, resource, inner, context);
    const known = [...resource.listed.keys(), ...resource.relations.keys()];
    rejectName(context, inner.path, name, resource, { wants: "either", known });
    return undefined;
  });
  return joined(parts);
}

function readMembers(
  word: "AND" | "OR" | "NOT",
  input: unknown,
  resource: Resource,
  place: Place,
  context: PrismaOptionsContext,
): Filter | undefined {
  const groups = place.groups + 1;
  if (groups > context.limits.groups) {
    reject(context, place.path, "TooDeep", `nests ${groups} groups or more. Maximum: ${context.limits.groups}`);
    return undefined;
  }
  const members: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (members.length === 0 || members.some((member) => isObject(member) && Object.keys(member).length === 0)) {
    reject(context, place.path, "EmptyGroup", "contains no condition");
    return undefined;
  }
  const filters = members.flatMap((member) => readGroup(member, resource, { ...place, groups }, context) ?? []);
  if (filters.length < members.length) return undefined;
  return word === "OR" ? anyOf(filters) : allOf(word === "NOT" ? filters.map(notOf) : filters);
}

function readRelation(
  relation: RelationField,
  input: unknown,
  place: Place,
  context: PrismaOptionsContext,
): Filter | undefined {
  const { isList, isRequired } = relation;
  const target = context.resources.get(relation.type);
  const hops = place.hops + 1;
  if (target === undefined) return undefined;
  if (hops > context.limits.relationHops) {
    reject(context, place.path, "TooDeep", `goes through ${hops} relations. Maximum: ${context.limits.relationHops}`);
    return undefined;
  }
  if (!countTerm(place.path, context)) return undefined;
  const words = isList ? ["some", "every", "none"] : ["is", "isNot"];
  const isLong =
    isObject(input) && Object.keys(input).length > 0 && Object.keys(input).every((word) => words.includes(word));
  if (isList && !isLong) {
    reject(context, place.path, "InvalidValue", `must be ${words.join(", ")}`);
    return undefined;
  }
  const entries = isLong ? Object.entries(input) : [["is", input] as const];
  return joined(
    entries.map(([word, value]): Filter | undefined => {
      const quantifier = word as Quantifier;
      if (value === null && !isList && !isRequired) return related(relation, quantifier, null);
      const inner = { path: isLong ? [...place.path, word] : place.path, groups: place.groups, hops };
      const isValid = isObject(value);
      const filter = readGroup(value, target, inner, context);
      return isValid ? related(relation, quantifier, filter ?? everyRow) : undefined;
    }),
  );
}

/** The conjunction of the conditions; `undefined` without any. */
function joined(filters: readonly (Filter | undefined)[]): Filter | undefined {
  const given = filters.filter((filter) => filter !== undefined);
  return given.length === 0 ? undefined : allOf(given);
}

function readConditions(
  field: StoredField,
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): Filter | undefined {
  if (!isObject(input)) return readCondition(field, "equals", input, resource, path, context);
  const { mode, ...rest } = input;
  const entries = Object.entries(rest);
  const isInsensitive = mode === "insensitive";
  if ((mode !== undefined && !isInsensitive && mode !== "default") || entries.length === 0) {
    reject(context, path, "InvalidValue", "must be operators, such as equals, and the mode default or insensitive");
    return undefined;
  }
  return joined(
    entries.map(([word, value]): Filter | undefined => {
      const inner = [...path, word];
      if (word === "not" && isObject(value) && field.type !== "Json") {
        if (!countTerm(inner, context)) return undefined;
        const where = readConditions(field, mode === undefined ? value : { mode, ...value }, resource, inner, context);
        return where && notOf(where);
      }
      const operator = (isInsensitive ? looseOperators : exactOperators).get(word);
      if (operator !== undefined) return readCondition(field, operator, value, resource, inner, context);
      reject(context, inner, "UnknownOperator", "is not an operator here");
      return undefined;
    }),
  );
}

function readCondition(
  field: StoredField,
  operator: string,
  input: unknown,
  resource: Resource,
  path: readonly string[],
  context: PrismaOptionsContext,
): Filter | undefined {
  if (!countTerm(path, context)) return undefined;
  const allowed = resource.operators.get(field.name) ?? [];
  if (!allowed.includes(operator)) {
    reject(
      context,
      path,
      "UnknownOperator",
      `is not an operator of ${field.name}; expected one of ${allowed.join(", ")}`,
    );
    return undefined;
  }
  const operand = readOperand(field, operator, input, path, context);
  if (operand === undefined) return undefined;
  return operand === null && field.type !== "Json"
    ? condition(field, "isNull", operator === "equals")
    : condition(field, operator, operand);
}

function readOperand(
  field: StoredField,
  operator: string,
  input: unknown,
  path: readonly string[],
  context: PrismaOptionsContext,
): unknown {
  const takesNull = (operator === "equals" || operator === "not") && !field.isList;
  if (input === null && takesNull && field.type !== "Json" && !field.isRequired) return null;
  if (operator === "isEmpty") return typeof input === "boolean" ? input : rejectValue(path, context);
  if (!takesList(field, operator)) {
    const value = readJsonOperand(field, input);
    return value === undefined ? rejectValue(path, context) : value;
  }
  if (!Array.isArray(input)) return rejectValue(path, context);
  if (input.length > context.limits.listItems) {
    reject(context, path, "TooManyItems", `has ${input.length} items. Maximum: ${context.limits.listItems}`);
    return undefined;
  }
  const values = input.map((item) => readJsonOperand(field, item));
  return values.includes(undefined) ? rejectValue(path, context) : values;
}

function rejectValue(path: readonly string[], context: PrismaOptionsContext): undefined {
  reject(context, path, "InvalidValue", "contains a value that does not fit the field");
  return undefined;
}

/** Counts one of the conditions of a query. */
function countTerm(path: readonly string[], context: PrismaOptionsContext): boolean {
  const { spent, limits } = context;
  spent.terms += 1;
  if (spent.terms === limits.terms + 1) {
    reject(context, path, "TooManyTerms", `is one condition too many. Maximum: ${limits.terms}`);
  }
  return spent.terms <= limits.terms;
}
