import { httpErrors } from "@servicekit/core";
import type { RelationField } from "@servicekit/prisma";
import { allOf, anyOf, type Filter, notOf, type Quantifier, related } from "@servicekit/prisma/internal";
import { certain } from "./certain.js";

/** The filter of the rows of a model that the caller may read; `undefined` for all. */
export type ReadableRows = (model: string) => Filter | undefined | Promise<Filter | undefined>;

/**
 * Adds the row rules of related models to a filter, so that each relation in it refers to permitted rows only, as if
 * others did not exist (contract C30). `every` requires that no permitted row fails, and a to-one relation to another
 * row is empty, also if it is negated.
 *
 * @throws {HttpError} 400 if a negation over a rule cannot be expressed safely
 */
export function guard(filter: Filter, readable: ReadableRows): Promise<Filter> {
  return guardPart(filter, { readable, isNegated: false });
}

interface Place {
  readonly readable: ReadableRows;
  /** Whether an unknown condition here could include or exclude rows by values outside a rule. */
  readonly isNegated: boolean;
}

async function guardPart(filter: Filter, place: Place): Promise<Filter> {
  const guardAll = (filters: readonly Filter[]): Promise<Filter[]> =>
    Promise.all(filters.map((one) => guardPart(one, place)));
  switch (filter.kind) {
    case "all":
      return allOf(await guardAll(filter.filters));
    case "any":
      return anyOf(await guardAll(filter.filters));
    case "not":
      return notOf(await guardPart(filter.filter, { ...place, isNegated: true }));
    case "condition":
    case "json":
    case "opaque":
      return filter;
    case "related":
      return guardRelated(filter.field, filter.quantifier, filter.filter, place);
  }
}

async function guardRelated(
  field: RelationField,
  quantifier: Quantifier,
  inner: Filter | null,
  place: Place,
): Promise<Filter> {
  const rule = await place.readable(field.type);
  if (inner === null) {
    return rule === undefined ? related(field, quantifier, null) : isEmpty(field, quantifier, rule, place);
  }
  // A subquery is true or false, so a negation around it does not affect its contents; `every` negates inside.
  const isNegated = field.isList ? quantifier === "every" : place.isNegated || quantifier === "isNot";
  const guarded = await guardPart(inner, { ...place, isNegated });
  if (rule === undefined) return related(field, quantifier, guarded);
  if (quantifier === "every") return related(field, "none", allOf([rule, notOf(guarded)]));
  return related(field, quantifier, allOf([isNegated ? definite(rule, field) : rule, guarded]));
}

/** A to-one relation is empty without a row, or with a forbidden one. */
function isEmpty(field: RelationField, quantifier: Quantifier, rule: Filter, { isNegated }: Place): Filter {
  const isPositive = quantifier === "is";
  const isThere = related(field, "is", isPositive || isNegated ? definite(rule, field) : rule);
  return isPositive ? notOf(isThere) : isThere;
}

function definite(rule: Filter, field: RelationField): Filter {
  const known = certain(rule);
  if (known !== undefined) return known;
  const message = `A filter through ${field.type} cannot be negated here.`;
  throw httpErrors.ValidationError(message, { errors: [{ in: "query", path: "", code: "InvalidOperand", message }] });
}
