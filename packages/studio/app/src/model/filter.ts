import type { Where } from "../api/shop.js";
import { type FieldInfo, type FieldKind, isQueryable, type ModelInfo } from "./model-info.js";

/** One condition in the URL: field, operator, input value. */
export type Condition = readonly [field: string, operator: string, value: string];

/** Conditions combined with OR, or negated. */
export type Group = readonly [how: GroupKind, conditions: readonly Condition[]];
export type GroupKind = "any" | "none";

/** The parts of a filter, combined with AND. */
export type Clause = Condition | Group;

export const isGroup = (clause: Clause): clause is Group => clause.length === 2;
export const groupWords: Readonly<Record<GroupKind, string>> = { any: "any of", none: "none of" };

const isCondition = (given: unknown): given is Condition =>
  Array.isArray(given) && given.length === 3 && given.every((part) => typeof part === "string");
const isClause = (given: unknown): given is Clause =>
  isCondition(given) ||
  (Array.isArray(given) &&
    given.length === 2 &&
    Object.hasOwn(groupWords, String(given[0])) &&
    Array.isArray(given[1]) &&
    given[1].every(isCondition));

/** The clauses in a URL; everything else in it is ignored. */
export const readClauses = (given: unknown): readonly Clause[] => (Array.isArray(given) ? given.filter(isClause) : []);

const equal = ["equals", "not", "in", "notIn"];
const ordered = ["gte", "lte", "gt", "lt"];

/** The operators of each kind of column (contract C18), the most common first. */
const byKind: Readonly<Record<FieldKind, readonly string[]>> = {
  text: [
    "icontains",
    "contains",
    "equals",
    "not",
    "istartsWith",
    "startsWith",
    "iendsWith",
    "endsWith",
    "iequals",
    "in",
    "notIn",
    ...ordered,
  ],
  boolean: ["equals", "not"],
  integer: [...equal, ...ordered],
  bigint: [...equal, ...ordered],
  float: [...equal, ...ordered],
  decimal: [...equal, ...ordered],
  datetime: ["gte", "lte", "gt", "lt", "equals", "not"],
  json: ["equals", "not"],
  bytes: ["equals", "not"],
  enum: ["in", "notIn", "equals", "not"],
  relation: [],
};
const ofLists = ["has", "hasSome", "hasEvery", "isEmpty"];

export const operatorWords: Readonly<Record<string, string>> = {
  equals: "is",
  not: "is not",
  in: "is one of",
  notIn: "is none of",
  lt: "is less than",
  lte: "is at most",
  gt: "is more than",
  gte: "is at least",
  contains: "contains (exact case)",
  icontains: "contains",
  startsWith: "begins with (exact case)",
  istartsWith: "begins with",
  endsWith: "ends with (exact case)",
  iendsWith: "ends with",
  iequals: "is (case-insensitive)",
  isNull: "is empty (NULL)",
  has: "has",
  hasSome: "has at least one of",
  hasEvery: "has all of",
  isEmpty: "is an empty list",
};

/** The fields that can be filtered. */
export const filterFields = ({ fields }: ModelInfo): readonly FieldInfo[] =>
  fields.filter((field) => field.kind !== "relation" && field.kind !== "bytes" && isQueryable(field));

/**
 * The operators of a field.
 *
 * @param documented the field's operators by the document
 */
export function operatorsOf(field: FieldInfo, documented: readonly string[] | undefined): readonly string[] {
  const known = field.list ? ofLists : [...byKind[field.kind], ...(field.required ? [] : ["isNull"])];
  if (documented === undefined || documented.length === 0) return known;
  return [...known.filter((name) => documented.includes(name)), ...documented.filter((name) => !known.includes(name))];
}

export const takesList = (operator: string): boolean => ["in", "notIn", "hasSome", "hasEvery"].includes(operator);
export const takesFlag = (operator: string): boolean => operator === "isNull" || operator === "isEmpty";

const toOperand = (operator: string, value: string): unknown =>
  takesList(operator)
    ? value
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== "")
    : takesFlag(operator)
      ? value === "true"
      : value;

const isComplete = ([, operator, value]: Condition): boolean => value !== "" || takesFlag(operator);

/** The complete clauses: without conditions that have no value yet. */
export const completeClauses = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.flatMap((clause): readonly Clause[] => {
    if (!isGroup(clause)) return isComplete(clause) ? [clause] : [];
    const complete = clause[1].filter(isComplete);
    return complete.length === 0 ? [] : [[clause[0], complete]];
  });

const whereOf = ([field, operator, value]: Condition) => ({ [field]: { [operator]: toOperand(operator, value) } });

/** Combines clauses with AND; groups, and an operator that occurs twice on a field, go below `AND`. */
export function toWhere(clauses: readonly Clause[]): Where | undefined {
  const complete = completeClauses(clauses);
  if (complete.length === 0) return undefined;
  const where: Record<string, Record<string, unknown>> = {};
  const further: Record<string, unknown>[] = [];
  for (const clause of complete) {
    if (isGroup(clause)) {
      const any = { OR: clause[1].map(whereOf) };
      further.push(clause[0] === "any" ? any : { NOT: any });
      continue;
    }
    const [field, operator] = clause;
    const there = where[field];
    if (there !== undefined && operator in there) further.push(whereOf(clause));
    else where[field] = { ...there, ...whereOf(clause)[field] };
  }
  return further.length === 0 ? where : { ...where, AND: further };
}

/** A clause as a sentence. */
export const describeClause = (model: ModelInfo, clause: Clause): string =>
  isGroup(clause)
    ? `${groupWords[clause[0]]}: ${clause[1].map((each) => describeCondition(model, each)).join("; ")}`
    : describeCondition(model, clause);

function describeCondition(model: ModelInfo, [field, operator, value]: Condition): string {
  const title = model.field(field)?.title ?? field;
  if (takesFlag(operator)) return `${title} ${value === "true" ? "" : "not: "}${operatorWords[operator]}`;
  return `${title} ${operatorWords[operator] ?? operator} ${value === "" ? "…" : value}`;
}
