import { type StoredField } from "@servicekit/prisma";
import type { Condition, Filter, Related } from "@servicekit/prisma/internal";
import { mayBeNull } from "@servicekit/prisma/internal";
import { complement, extentOf, intersectionOf, unionOf, type ValueSet, valuesOf } from "./value-set.js";

/**
 * The rows that a filter can match, determined by types only: a bulk change requires a filter that does not match
 * `every` row (contract C14). `empty` is a filter by an empty value, which is never a criterion.
 */
export type Scope = "every" | "some" | "none" | "empty";

/**
 * Whether a filter is a criterion: not every row matches it by type.
 *
 * @param deleted the time of a soft delete, if it is null in all rows that the request means, or in none
 */
export function isCriterion(filter: Filter, deleted?: StoredField): boolean {
  const scope = scopeOf(filter, deleted);
  return scope !== "every" && scope !== "empty";
}

/** The rows that a filter can match. */
export const scopeOf = (filter: Filter, deleted?: StoredField): Scope => evaluate(filter, deleted).scope;

/** A scope, and for comparisons of only one field, the values. */
interface Evaluation {
  readonly scope: Scope;
  readonly values?: { readonly field: StoredField; readonly set: ValueSet };
}

function evaluate(filter: Filter, deleted: StoredField | undefined): Evaluation {
  const part = (one: Filter): Evaluation => evaluate(one, deleted);
  switch (filter.kind) {
    case "all":
      return join(filter.filters.map(part), intersectionOf, all);
    case "any":
      return join(filter.filters.map(part), unionOf, any);
    case "not": {
      const { scope, values } = part(filter.filter);
      return values === undefined ? { scope: negate(scope) } : ofSet(values.field, complement(values.set));
    }
    case "condition":
      return filter.field === deleted && (filter.operator === "isNull" || filter.operand === null)
        ? { scope: "empty" }
        : evaluateCondition(filter);
    case "related":
      return { scope: evaluateRelated(filter) };
    case "json":
    case "opaque":
      return { scope: "some" };
  }
}

const ofSet = (field: StoredField, set: ValueSet): Evaluation => ({ scope: extentOf(set), values: { field, set } });

/** Conditions on one field count together: `flag=true or flag=false` matches every row. */
function join(
  parts: readonly Evaluation[],
  joinSets: (sets: readonly [ValueSet, ...ValueSet[]]) => ValueSet,
  joinScopes: (scopes: readonly Scope[]) => Scope,
): Evaluation {
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
  const specified = scopes.filter((scope) => scope !== "empty");
  if (specified.length === 0 && scopes.length > 0) return "empty";
  if (specified.includes("none")) return "none";
  return specified.every((scope) => scope === "every") ? "every" : "some";
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

/** An empty text is not a criterion, with any operator. */
function evaluateCondition({ field, operator, operand }: Condition): Evaluation {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (values.length === 0 || values.every((value) => value === "")) return { scope: "empty" };
  if (operator === "isNull") return { scope: mayBeNull(field) ? "some" : operand === true ? "none" : "every" };
  const set = valuesOf(field, operator, operand);
  return set === undefined ? { scope: "some" } : ofSet(field, set);
}

function evaluateRelated({ field, quantifier, filter }: Related): Scope {
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
