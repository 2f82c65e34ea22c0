import type { Where } from "../api/shop.js";
import type { FieldInfo, FieldKind, ModelInfo } from "./model-info.js";

/** One condition as it stands in the address: field, operator, what is written in its input. */
export type Condition = readonly [field: string, operator: string, value: string];

/** Conditions of which one is enough, or none may hold. */
export type Group = readonly [how: GroupKind, conditions: readonly Condition[]];
export type GroupKind = "any" | "none";

/** What a filter is made of: all of its parts hold. */
export type Clause = Condition | Group;

export const isGroup = (clause: Clause): clause is Group => clause.length === 2;
export const groupWords: Readonly<Record<GroupKind, string>> = { any: "any of these", none: "none of these" };

const isCondition = (given: unknown): given is Condition =>
  Array.isArray(given) && given.length === 3 && given.every((part) => typeof part === "string");
const isClause = (given: unknown): given is Clause =>
  isCondition(given) ||
  (Array.isArray(given) &&
    given.length === 2 &&
    Object.hasOwn(groupWords, String(given[0])) &&
    Array.isArray(given[1]) &&
    given[1].every(isCondition));

/** The clauses that an address holds: whatever else stands there is none. */
export const readClauses = (given: unknown): readonly Clause[] => (Array.isArray(given) ? given.filter(isClause) : []);

const equal = ["equals", "not", "in", "notIn"];
const ordered = ["gte", "lte", "gt", "lt"];

/** The operators of each kind of column (contract C18), the likeliest first. */
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
  iequals: "is, in any case",
  isNull: "is empty (NULL)",
  has: "has",
  hasSome: "has some of",
  hasEvery: "has every one of",
  isEmpty: "is an empty list",
};

/**
 * The operators that a field can be filtered by.
 *
 * @param told what the document says of it
 */
export function operatorsOf(field: FieldInfo, told: readonly string[] | undefined): readonly string[] {
  const known = field.list ? ofLists : [...byKind[field.kind], ...(field.required ? [] : ["isNull"])];
  if (told === undefined || told.length === 0) return known;
  return [...known.filter((name) => told.includes(name)), ...told.filter((name) => !known.includes(name))];
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

const says = ([, operator, value]: Condition): boolean => value !== "" || takesFlag(operator);

/** Clauses that say something: a condition whose value is not written yet does not. */
export const saidOf = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.flatMap((clause): readonly Clause[] => {
    if (!isGroup(clause)) return says(clause) ? [clause] : [];
    const said = clause[1].filter(says);
    return said.length === 0 ? [] : [[clause[0], said]];
  });

const whereOf = ([field, operator, value]: Condition) => ({ [field]: { [operator]: toOperand(operator, value) } });

/** The filter of clauses that all hold; groups, and an operator that stands twice on a field, go below `AND`. */
export function toWhere(clauses: readonly Clause[]): Where | undefined {
  const said = saidOf(clauses);
  if (said.length === 0) return undefined;
  const where: Record<string, Record<string, unknown>> = {};
  const further: Record<string, unknown>[] = [];
  for (const clause of said) {
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

/** A clause as a person would say it. */
export const sayClause = (model: ModelInfo, clause: Clause): string =>
  isGroup(clause)
    ? `${groupWords[clause[0]]}: ${clause[1].map((each) => sayCondition(model, each)).join("; ")}`
    : sayCondition(model, clause);

function sayCondition(model: ModelInfo, [field, operator, value]: Condition): string {
  const title = model.field(field)?.title ?? field;
  if (takesFlag(operator)) return `${title} ${value === "true" ? "" : "not: "}${operatorWords[operator]}`;
  return `${title} ${operatorWords[operator] ?? operator} ${value === "" ? "…" : value}`;
}
