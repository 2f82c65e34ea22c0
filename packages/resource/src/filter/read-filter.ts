import { nearestWord } from "@servicekit/errors";
import type { RelationField } from "@servicekit/orm";
import { isOperator, operators, type QueryLimits, type QueryTerm } from "@servicekit/query-parser";
import type { Resource, Resources } from "../resource.js";
import type { QueryFaults } from "./query-faults.js";
import { bareOperator, type Filter, readCondition, takesList } from "./read-condition.js";
import { allOf, anyOf, notOf, relatedScope, type Scope } from "./scope.js";
import type { Where } from "./where.js";

/** What reading a filter needs to know besides the terms. */
export interface FilterContext {
  readonly resources: Resources;
  readonly limits: QueryLimits;
  readonly faults: QueryFaults;
  /** Parameters beside the filters: what a misspelt name may have meant. */
  readonly parameters?: readonly string[];
}

/**
 * Reads the filter of a request: all terms AND-ed, groups and relations nested (contract C9, C10). Terms that go through
 * the same to-many relation speak of the same related row.
 *
 * @returns `undefined` when there is no filter; faults are noted in the context
 */
export function readFilter(
  terms: readonly QueryTerm[],
  resource: Resource,
  context: FilterContext,
): Filter | undefined {
  checkCount(terms, context);
  const root = new Level(resource);
  for (const term of terms) place(term, root, context);
  const filters = root.filters();
  return filters.length === 0 ? undefined : joinAll(filters);
}

/** A parameter that is repeated makes a condition each time, unless its operator takes a list. */
function checkCount(terms: readonly QueryTerm[], { limits, faults }: FilterContext): void {
  const conditions = terms.reduce((sum, { segments, values }) => {
    const word = segments.at(-1) ?? "";
    const isRepeated = isOperator(word) && operators[word].operands !== "list";
    return sum + (isRepeated ? values.length : 1);
  }, 0);
  if (conditions <= limits.terms) return;
  const name = terms.reduce((most, one) => (one.values.length > most.values.length ? one : most)).name;
  faults.add(name, "TooManyTerms", `The query has ${conditions} conditions; at most ${limits.terms} fit.`);
}

/** The filters of one place: of the model itself, of a related model, or of a group. */
class Level {
  readonly resource: Resource;
  readonly conditions: Filter[] = [];
  readonly relations = new Map<string, { field: RelationField; quantifier: string; level: Level }>();
  readonly groups = new Map<string, Map<string, Level>>();

  constructor(resource: Resource) {
    this.resource = resource;
  }

  group(word: string, index: string): Level {
    const levels = this.groups.get(word) ?? new Map<string, Level>();
    this.groups.set(word, levels);
    const level = levels.get(index) ?? new Level(this.resource);
    levels.set(index, level);
    return level;
  }

  relation(field: RelationField, quantifier: string, related: Resource): Level {
    const name = `${field.name}.${quantifier}`;
    const entry = this.relations.get(name) ?? { field, quantifier, level: new Level(related) };
    this.relations.set(name, entry);
    return entry.level;
  }

  filters(): Filter[] {
    const filters = [...this.conditions];
    for (const { field, quantifier, level } of this.relations.values()) {
      const inner = joinAll(level.filters());
      filters.push({
        where: { [field.name]: { [quantifier]: inner.where } },
        scope: relatedScope(quantifier, inner.scope, field.isRequired),
      });
    }
    for (const [word, levels] of this.groups) filters.push(joinGroup(word, [...levels.values()]));
    return filters;
  }
}

function joinAll(filters: readonly Filter[]): Filter {
  const [first] = filters;
  if (first !== undefined && filters.length === 1) return first;
  return { where: { AND: filters.map(({ where }) => where) }, scope: allOf(filters.map(({ scope }) => scope)) };
}

function joinGroup(word: string, levels: readonly Level[]): Filter {
  const members = levels.map((level) => joinAll(level.filters()));
  const wheres = members.map(({ where }) => where);
  const scopes = members.map(({ scope }) => scope);
  if (word === "or") return { where: { OR: wheres }, scope: anyOf(scopes) };
  if (word === "and") return joinAll(members);
  const negated: { where: Where; scope: Scope }[] = members.map(({ where, scope }) => ({
    where: { NOT: where },
    scope: notOf(scope),
  }));
  return joinAll(negated);
}

const quantifiers: ReadonlySet<string> = new Set(["some", "every", "none"]);
const toOneWords: ReadonlySet<string> = new Set(["is", "isNot"]);
const isIndex = (segment: string | undefined): boolean => segment !== undefined && /^\d{1,4}$/.test(segment);

/** Whether a segment opens a group at this place, and is not a field that happens to bear that name. */
function opensGroup(segments: readonly string[], at: number, resource: Resource): boolean {
  const word = segments[at];
  if (word !== "or" && word !== "and" && word !== "not") return false;
  if (!resource.listed.has(word) && !resource.relations.has(word)) return true;
  const next = segments[at + 1];
  return isIndex(next) || (word === "not" && next !== undefined && !isOperator(next));
}

/** Finds the place of one term and puts its condition there. */
function place(term: QueryTerm, root: Level, context: FilterContext): void {
  const { faults, limits, resources } = context;
  const { name, segments } = term;
  let level = root;
  let groups = 0;
  let hops = 0;
  let at = 0;
  for (;;) {
    const segment = segments[at];
    if (segment === undefined) {
      faults.add(name, "EmptyGroup", `${name} holds no field: a group needs at least one filter.`);
      return;
    }
    if (opensGroup(segments, at, level.resource)) {
      if (++groups > limits.groups) {
        faults.add(name, "TooDeep", `${name} nests ${groups} groups or more; at most ${limits.groups} fit.`);
        return;
      }
      const indexed = isIndex(segments[at + 1]);
      if (!indexed && segment !== "not") {
        const complaint = segments[at + 1] === undefined ? "EmptyGroup" : "InvalidGroup";
        faults.add(name, complaint, `${name} must number its members: ${segment}[0][field]=value.`);
        return;
      }
      level = level.group(segment, indexed ? String(Number(segments[at + 1])) : "0");
      at += indexed ? 2 : 1;
      continue;
    }
    const relation = level.resource.relations.get(segment);
    if (relation !== undefined) {
      const next = segments[at + 1];
      const isLast = segments[at + 2] === undefined;
      if (next === undefined || next === "isNull" || (isLast && toOneWords.has(next) && !relation.isList)) {
        placeRelationNull(term, relation, segments.slice(at + 1), level, faults);
        return;
      }
      const named = relation.isList ? quantifiers.has(next) : toOneWords.has(next);
      const quantifier = named ? next : relation.isList ? "some" : "is";
      if (++hops > limits.relationHops) {
        faults.add(
          name,
          "TooDeep",
          `${name} goes through ${hops} relations or more; at most ${limits.relationHops} fit.`,
        );
        return;
      }
      const related = resources.get(relation.type);
      if (related === undefined) return;
      level = level.relation(relation, quantifier, related);
      at += named ? 2 : 1;
      if (segments[at] === undefined) {
        faults.add(name, "EmptyGroup", `${name} names no field of ${relation.type}.`);
        return;
      }
      continue;
    }
    placeCondition(term, segments.slice(at), level, context);
    return;
  }
}

function placeCondition(term: QueryTerm, rest: readonly string[], level: Level, context: FilterContext): void {
  const { faults, limits } = context;
  const { resource } = level;
  const isList = rest.length > 1 && rest.at(-1) === "";
  const [fieldName = "", ...written] = isList ? rest.slice(0, -1) : rest;
  const field = resource.listed.get(fieldName);
  if (field === undefined) {
    const parameters = term.segments.length === 1 ? context.parameters : undefined;
    faults.add(term.name, "UnknownField", unknownField(fieldName, resource, parameters));
    return;
  }
  const allowed = resource.operators.get(fieldName) ?? [];
  const isBare = written.length === 0;
  const operator = isBare ? bareOperator(field, term.values, isList) : written.join("__");
  if (isList && !takesList(field, operator)) {
    faults.add(term.name, "InvalidValue", `${term.name} takes one value: ${operator} is no operator of lists.`);
    return;
  }
  if (!allowed.includes(operator)) {
    faults.add(
      term.name,
      "UnknownOperator",
      allowed.length === 0
        ? `The field ${fieldName} of ${resource.model.name} cannot be filtered, for its name means a group.`
        : `The field ${fieldName} of ${resource.model.name} has no operator ${operator}; it has ${allowed.join(", ")}.`,
    );
    return;
  }
  const filter = readCondition({ name: term.name, field, operator, isBare, values: term.values }, limits, faults);
  if (filter !== undefined) level.conditions.push(filter);
}

/** `author=null`, `author__is=null` and `author__isNull=true` ask whether a to-one relation is empty. */
function placeRelationNull(
  term: QueryTerm,
  relation: RelationField,
  rest: readonly string[],
  level: Level,
  faults: QueryFaults,
): void {
  const value = term.values.length === 1 ? term.values[0] : undefined;
  const isNull = rest[0] === "isNull" ? readBoolean(value) : value === "null" ? rest[0] !== "isNot" : undefined;
  if (relation.isList || relation.isRequired || rest.length > 1 || isNull === undefined) {
    const hint = relation.isList ? "some, every or none" : relation.isRequired ? "is or isNot" : "isNull";
    faults.add(term.name, "InvalidValue", `${term.name} filters a relation: name a field of it, or use ${hint}.`);
    return;
  }
  level.conditions.push({
    where: { [relation.name]: isNull ? { is: null } : { isNot: null } },
    scope: "some",
  });
}

const readBoolean = (text: string | undefined): boolean | undefined =>
  text === "true" ? true : text === "false" ? false : undefined;

/** Says that there is no such field, in the same words for a hidden one and for one that does not exist. */
export function unknownField(name: string, resource: Resource, more: readonly string[] = []): string {
  const near = nearestWord(name, [...resource.fields.keys(), ...resource.relations.keys(), ...more]);
  return `${resource.model.name} has no field ${name}${near === undefined ? "." : `; did you mean ${near}?`}`;
}
