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
import { type PrismaOptionsContext, refuse, refuseName } from "./context.js";
import { readJsonOperand } from "./read-json-operand.js";

/** Where in the options a condition stands. */
interface Place {
  readonly path: readonly string[];
  readonly groups: number;
  readonly hops: number;
}

/**
 * Reads a `where` of Prisma's (contract C22). Each condition is built anew from the field and the value, so that nothing
 * but values gets to the database; texts stand for themselves, as in all filters.
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
    refuse(context, place.path, "InvalidValue", "takes an object of conditions");
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
    refuseName(context, inner.path, name, resource, { wants: "either", known });
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
    refuse(context, place.path, "TooDeep", `nests ${groups} groups or more; at most ${context.limits.groups} fit`);
    return undefined;
  }
  const members: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (members.length === 0 || members.some((member) => isObject(member) && Object.keys(member).length === 0)) {
    refuse(context, place.path, "EmptyGroup", "holds no condition");
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
    refuse(
      context,
      place.path,
      "TooDeep",
      `goes through ${hops} relations; at most ${context.limits.relationHops} fit`,
    );
    return undefined;
  }
  if (!countTerm(place.path, context)) return undefined;
  const words = isList ? ["some", "every", "none"] : ["is", "isNot"];
  const isLong =
    isObject(input) && Object.keys(input).length > 0 && Object.keys(input).every((word) => words.includes(word));
  if (isList && !isLong) {
    refuse(context, place.path, "InvalidValue", `takes ${words.join(", ")}`);
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

/** All of what was read; `undefined` where nothing was. */
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
    refuse(context, path, "InvalidValue", "takes operators, such as equals, and the mode default or insensitive");
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
      refuse(context, inner, "UnknownOperator", "is no operator here");
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
    refuse(context, path, "UnknownOperator", `is no operator of ${field.name}; it has ${allowed.join(", ")}`);
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
  if (operator === "isEmpty") return typeof input === "boolean" ? input : refuseValue(path, context);
  if (!takesList(field, operator)) {
    const value = readJsonOperand(field, input);
    return value === undefined ? refuseValue(path, context) : value;
  }
  if (!Array.isArray(input)) return refuseValue(path, context);
  if (input.length > context.limits.listItems) {
    refuse(context, path, "TooManyItems", `has ${input.length} items; at most ${context.limits.listItems} fit`);
    return undefined;
  }
  const values = input.map((item) => readJsonOperand(field, item));
  return values.includes(undefined) ? refuseValue(path, context) : values;
}

function refuseValue(path: readonly string[], context: PrismaOptionsContext): undefined {
  refuse(context, path, "InvalidValue", "holds a value that does not fit the field");
  return undefined;
}

/** One of the conditions that a whole query may have. */
function countTerm(path: readonly string[], context: PrismaOptionsContext): boolean {
  const { spent, limits } = context;
  spent.terms += 1;
  if (spent.terms === limits.terms + 1) {
    refuse(context, path, "TooManyTerms", `is one condition too many; at most ${limits.terms} fit`);
  }
  return spent.terms <= limits.terms;
}
