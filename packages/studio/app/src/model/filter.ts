import type { Where } from "../api/shop.js";
import type { FieldInfo, FieldKind, ModelInfo } from "./model-info.js";

/** One condition as it stands in the address: field, operator, what is written in its input. */
export type Condition = readonly [field: string, operator: string, value: string];

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

/** Conditions that say something: one whose value is not written yet does not. */
export const saidOf = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter(([, operator, value]) => value !== "" || takesFlag(operator));

/** The filter of conditions that all hold; an operator that stands twice on a field makes groups. */
export function toWhere(conditions: readonly Condition[]): Where | undefined {
  const said = saidOf(conditions);
  if (said.length === 0) return undefined;
  const where: Record<string, Record<string, unknown>> = {};
  const further: Record<string, unknown>[] = [];
  for (const [field, operator, value] of said) {
    const operand = toOperand(operator, value);
    const there = where[field];
    if (there !== undefined && operator in there) further.push({ [field]: { [operator]: operand } });
    else where[field] = { ...there, [operator]: operand };
  }
  return further.length === 0 ? where : { ...where, AND: further };
}

/** A condition as a person would say it. */
export function sayCondition(model: ModelInfo, [field, operator, value]: Condition): string {
  const title = model.field(field)?.title ?? field;
  if (takesFlag(operator)) return `${title} ${value === "true" ? "" : "not: "}${operatorWords[operator]}`;
  return `${title} ${operatorWords[operator] ?? operator} ${value === "" ? "…" : value}`;
}
