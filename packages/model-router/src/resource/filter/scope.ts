import { type StoredField } from "@servicekit/prisma";
import type { Condition, Filter, Related } from "@servicekit/prisma/internal";
import { mayBeNull } from "@servicekit/prisma/internal";
import { complement, extentOf, intersectionOf, unionOf, type ValueSet, valuesOf } from "./value-set.js";

/**
 * How many rows a filter can let through, judged by types alone: a bulk change needs a filter that is not met by `every`
 * row (contract C14). `empty` is a filter by an empty value: no criterion, whatever is said around it.
 */
export type Scope = "every" | "some" | "none" | "empty";

/** Whether a filter is a criterion: something that not every row meets by its type. */
export function isCriterion(filter: Filter): boolean {
  const scope = scopeOf(filter);
  return scope !== "every" && scope !== "empty";
}

/** How many rows a filter can let through. */
export const scopeOf = (filter: Filter): Scope => judge(filter).scope;

/** A scope, and where only one field is compared, with which values. */
interface Judgement {
  readonly scope: Scope;
  readonly values?: { readonly field: StoredField; readonly set: ValueSet };
}

function judge(filter: Filter): Judgement {
  switch (filter.kind) {
    case "all":
      return join(filter.filters.map(judge), intersectionOf, all);
    case "any":
      return join(filter.filters.map(judge), unionOf, any);
    case "not": {
      const { scope, values } = judge(filter.filter);
      return values === undefined ? { scope: negate(scope) } : ofSet(values.field, complement(values.set));
    }
    case "condition":
      return judgeCondition(filter);
    case "related":
      return { scope: judgeRelated(filter) };
    case "opaque":
      return { scope: "some" };
  }
}

const ofSet = (field: StoredField, set: ValueSet): Judgement => ({ scope: extentOf(set), values: { field, set } });

/** What is said of one field counts together: `flag=true or flag=false` is met by every row. */
function join(
  parts: readonly Judgement[],
  joinSets: (sets: readonly [ValueSet, ...ValueSet[]]) => ValueSet,
  joinScopes: (scopes: readonly Scope[]) => Scope,
): Judgement {
  const byField = new Map<StoredField, [ValueSet, ...ValueSet[]]>();
  const others: Scope[] = [];
  for (const { scope, values } of parts) {
    if (values === undefined) others.push(scope);
    else {
      const sets = byField.get(values.field);
      if (sets === undefined) byField.set(values.field, [values.set]);
      else sets.push(values.set);
    }
  }
  const joined = [...byField].map(([field, sets]) => ofSet(field, joinSets(sets)));
  const [only] = joined;
  if (only !== undefined && joined.length === 1 && others.length === 0) return only;
  return { scope: joinScopes([...others, ...joined.map(({ scope }) => scope)]) };
}

function all(scopes: readonly Scope[]): Scope {
  const said = scopes.filter((scope) => scope !== "empty");
  if (said.length === 0 && scopes.length > 0) return "empty";
  if (said.includes("none")) return "none";
  return said.every((scope) => scope === "every") ? "every" : "some";
}

function any(scopes: readonly Scope[]): Scope {
  if (scopes.includes("empty")) return "empty";
  if (scopes.includes("every")) return "every";
  return scopes.every((scope) => scope === "none") ? "none" : "some";
}

function negate(scope: Scope): Scope {
  if (scope === "empty") return scope;
  return scope === "every" ? "none" : scope === "none" ? "every" : "some";
}

/** An empty text is no criterion, whatever the operator. */
function judgeCondition({ field, operator, operand }: Condition): Judgement {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (values.length === 0 || values.every((value) => value === "")) return { scope: "empty" };
  if (operator === "isNull") return { scope: mayBeNull(field) ? "some" : operand === true ? "none" : "every" };
  const set = valuesOf(field, operator, operand);
  return set === undefined ? { scope: "some" } : ofSet(field, set);
}

function judgeRelated({ field, quantifier, filter }: Related): Scope {
  if (filter === null) return "some";
  const inner = scopeOf(filter);
  if (inner === "empty") return inner;
  switch (quantifier) {
    case "some":
      return inner === "none" ? "none" : "some";
    case "every":
      return inner === "every" ? "every" : "some";
    case "none":
      return inner === "none" ? "every" : "some";
    case "isNot":
      return field.isRequired ? negate(inner) : inner === "none" ? "every" : "some";
    case "is":
      return field.isRequired ? inner : inner === "none" ? "none" : "some";
  }
}
