import { httpErrors } from "@servicekit/core";
import type { RelationField } from "@servicekit/prisma";
import { allOf, anyOf, type Filter, notOf, type Quantifier, related } from "@servicekit/prisma/internal";
import { certain } from "./certain.js";

/** The filter of the rows of a model that the caller may read; `undefined` for all. */
export type ReadableRows = (model: string) => Filter | undefined | Promise<Filter | undefined>;

/**
 * Puts the row rules of related models into a filter, so that each relation in it speaks of permitted rows only: those
 * outside are as if they did not exist (contract C30). `every` asks that no permitted row fails, and a to-one relation to
 * a row outside is empty, also where it is negated.
 *
 * @throws {HttpError} 400 where a negation over a rule could not be told safely
 */
export function guard(filter: Filter, readable: ReadableRows): Promise<Filter> {
  return guardPart(filter, { readable, isNegated: false });
}

interface Place {
  readonly readable: ReadableRows;
  /** Whether an unknown condition here could let rows through, or keep them back, by values outside a rule. */
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
  // A subquery is true or false, so a negation around it asks nothing of what is inside; `every` negates inside.
  const isNegated = field.isList ? quantifier === "every" : place.isNegated || quantifier === "isNot";
  const guarded = await guardPart(inner, { ...place, isNegated });
  if (rule === undefined) return related(field, quantifier, guarded);
  if (quantifier === "every") return related(field, "none", allOf([rule, notOf(guarded)]));
  return related(field, quantifier, allOf([isNegated ? told(rule, field) : rule, guarded]));
}

/** A to-one relation is empty when there is no row, or one outside. */
function isEmpty(field: RelationField, quantifier: Quantifier, rule: Filter, { isNegated }: Place): Filter {
  const isAsked = quantifier === "is";
  const isThere = related(field, "is", isAsked || isNegated ? told(rule, field) : rule);
  return isAsked ? notOf(isThere) : isThere;
}

function told(rule: Filter, field: RelationField): Filter {
  const known = certain(rule);
  if (known !== undefined) return known;
  const message = `A filter through ${field.type} cannot be negated here.`;
  throw httpErrors.ValidationError(message, { errors: [{ in: "query", path: "", code: "InvalidOperand", message }] });
}
