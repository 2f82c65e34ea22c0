import { isOperator, type OperatorName, operators } from "../operators.js";
import { type GroupKey, groupKeys } from "../parsed-query.js";
import { quote, reject } from "../query-errors.js";
import { fillLimits, listParameters, overLimit, type QueryLimits } from "../query-limits.js";
import type { QueryTerm } from "../terms/read-terms.js";

/** The raw values of one operator on one field; `bare` is a value without an operator. */
export interface OperandNode {
  readonly operator: OperatorName | "bare";
  /** The first parameter that named it. */
  readonly parameter: string;
  values: readonly string[];
  /** Whether the client wrote it as a list (`a[]`, `a[0]`). */
  isList: boolean;
}

/** Conditions on the related model; `direct` is a path without a relation operator. */
export interface RelationNode {
  readonly operator: OperatorName | "direct";
  /** The first parameter that named it. */
  readonly parameter: string;
  readonly condition: Condition;
}

/** All conditions of a query on one field, each operator once. */
export interface FieldNode {
  readonly operands: OperandNode[];
  readonly relations: RelationNode[];
}

/** A logical group: numbered entries, or one without a number. */
export interface Group {
  readonly entries: Map<number, Condition>;
  only: Condition | undefined;
}

/** Fields and groups that are combined with AND. */
export interface Condition {
  readonly fields: Map<string, FieldNode>;
  readonly groups: Map<GroupKey, Group>;
}

/** The conditions of a query, and the parameters of a list (`sort`, `limit` …), which are not filters. */
export interface ConditionTree {
  readonly parameters: Map<string, FieldNode>;
  readonly root: Condition;
}

const makeCondition = (): Condition => ({ fields: new Map(), groups: new Map() });
const makeGroup = (): Group => ({ entries: new Map(), only: undefined });
const makeField = (): FieldNode => ({ operands: [], relations: [] });
const isIndex = (segment: string | undefined): boolean => segment !== undefined && /^(0|[1-9]\d{0,8})$/.test(segment);

/** How `readTree` reads. */
export interface ReadTreeOptions {
  readonly limits?: Partial<QueryLimits> | undefined;
  /**
   * The names that are not filters without an operator or path. @default `sort`, `page`, `limit` and the others of contract
   * C8
   */
  readonly parameters?: ReadonlySet<string> | undefined;
}

/**
 * Sorts the terms of a query into the tree of their conditions: its groups, the fields and relations in them, and the
 * values they are compared with. It is the only grammar of queries. The tree has no knowledge of models and types, and
 * its values are as the client wrote them.
 *
 * @throws {HttpError} 400 with a code of `queryErrors`, naming the parameter
 */
export function readTree(terms: readonly QueryTerm[], options: ReadTreeOptions = {}): ConditionTree {
  const { parameters = listParameters } = options;
  const limits = fillLimits(options.limits);
  const tree: ConditionTree = { parameters: new Map(), root: makeCondition() };
  for (const term of terms) addTerm(tree, term, parameters, limits);
  return tree;
}

function addTerm(tree: ConditionTree, term: QueryTerm, parameters: ReadonlySet<string>, limits: QueryLimits): void {
  const { name, segments } = term;
  const last = segments[segments.length - 1];
  const isList = segments.length > 1 && (last === "" || (isIndex(last) && !groupKeys.has(segments.at(-2) ?? "")));
  const end = isList ? segments.length - 1 : segments.length;
  const first = segments[0] ?? "";
  if (end === 1 && parameters.has(first)) {
    addOperand(getOrAdd(tree.parameters, first, makeField), "bare", term, isList);
    return;
  }
  let condition = tree.root;
  let groups = 0;
  let hops = 0;
  for (let at = 0; ; ) {
    const segment = segments[at++] ?? "";
    const group = groupKeys.get(segment);
    if (group !== undefined) {
      if (++groups > limits.groups) throw overLimit("groups", limits, name);
      const index = at < end && isIndex(segments[at]) ? Number(segments[at++]) : undefined;
      if (at >= end) throw reject("EmptyGroup", name, `The group ${quote(name)} is empty. Add a field name.`);
      condition = enterGroup(condition, group, index, name);
      continue;
    }
    checkField(segment, end > 1, name);
    const field = getOrAdd(condition.fields, segment, makeField);
    const next = segments[at] ?? "";
    if (at === end || (at + 1 === end && isOperator(next))) {
      addOperand(field, at === end ? "bare" : (next as OperatorName), term, isList);
      return;
    }
    if (++hops > limits.relationHops) throw overLimit("relationHops", limits, name);
    if (isOperator(next) && operators[next].operands === "relation") {
      condition = enterRelation(field, next, name);
      at++;
    } else if (isOperator(next) && next !== "not") {
      const message = `The operator ${next} of ${quote(name)} takes a value. No name may follow it.`;
      throw reject("InvalidOperand", name, message);
    } else condition = enterRelation(field, "direct", name);
  }
}

function enterGroup(condition: Condition, key: GroupKey, index: number | undefined, name: string): Condition {
  const group = getOrAdd(condition.groups, key, makeGroup);
  if (index === undefined && key === "OR") {
    throw reject("MalformedQuery", name, `The group ${quote(name)} requires indexes: use or[0][…] and or[1][…].`);
  }
  if (index === undefined ? group.entries.size > 0 : group.only !== undefined) {
    throw reject("ConflictingFilters", name, `The group of ${quote(name)} has entries with and without indexes.`);
  }
  if (index !== undefined) return getOrAdd(group.entries, index, makeCondition);
  group.only ??= makeCondition();
  return group.only;
}

function enterRelation(field: FieldNode, operator: RelationNode["operator"], parameter: string): Condition {
  const present = field.relations.find((relation) => relation.operator === operator);
  if (present !== undefined) return present.condition;
  const condition = makeCondition();
  field.relations.push({ operator, parameter, condition });
  return condition;
}

function addOperand(field: FieldNode, operator: OperandNode["operator"], term: QueryTerm, isList: boolean): void {
  const present = field.operands.find((operand) => operand.operator === operator);
  if (present === undefined) {
    field.operands.push({ operator, parameter: term.name, values: term.values, isList });
    return;
  }
  present.values = [...present.values, ...term.values];
  present.isList ||= isList;
}

/** Prisma reads an object with these keys as the name of another column, so a filter must never contain one. */
const reservedByOrm: ReadonlySet<string> = new Set(["_ref", "_container", "$type"]);

function checkField(segment: string, isNested: boolean, name: string): void {
  if (reservedByOrm.has(segment)) {
    throw reject("ForbiddenKey", name, `The name ${quote(name)} has the forbidden segment ${segment}.`);
  }
  if (groupKeys.has(segment.toLowerCase())) {
    const message = `The name ${quote(name)} has the segment ${segment}. Use ${segment.toLowerCase()} for a group.`;
    throw reject("MalformedQuery", name, message);
  }
  if (isNested && isIndex(segment)) {
    const message = `The name ${quote(name)} has the index ${segment} in the place of a field. Indexes are allowed after or, and, not.`;
    throw reject("MalformedQuery", name, message);
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
