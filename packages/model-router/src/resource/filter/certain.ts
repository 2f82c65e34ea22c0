import type { RelationField, StoredField } from "@servicekit/prisma";
import {
  allOf,
  anyOf,
  type Condition,
  condition,
  everyRow,
  type Filter,
  isEveryRow,
  notOf,
  type Opaque,
  type Quantifier,
  related,
} from "@servicekit/prisma/internal";

/**
 * The same filter, but false instead of unknown: in SQL a comparison with NULL is neither true nor false, and neither
 * is its negation. A row rule that is negated together with a client's filter must be false for every other row, so
 * that none of its values is revealed.
 *
 * @returns `undefined` for a filter that cannot be converted: on lists, inside `Json`, between columns
 */
export function certain(filter: Filter): Filter | undefined {
  try {
    return settle(filter, false);
  } catch (error) {
    if (error === uncertain) return undefined;
    throw error;
  }
}

const uncertain = Symbol("servicekit.uncertain");

/** @param isNegated whether it is negated: negations are pushed down to the single conditions */
function settle(filter: Filter, isNegated: boolean): Filter {
  switch (filter.kind) {
    case "all":
    case "any": {
      const parts = filter.filters.map((one) => settle(one, isNegated));
      return (filter.kind === "all") === isNegated ? anyOf(parts) : allOf(parts);
    }
    case "not":
      return settle(filter.filter, !isNegated);
    case "condition":
      return settleCondition(filter, isNegated);
    case "json":
      throw uncertain;
    case "opaque":
      return settleOpaque(filter, isNegated);
    case "related":
      return filter.field.isList
        ? settleMany(filter.field, filter.quantifier, filter.filter ?? everyRow, isNegated)
        : settleOne(filter.field, filter.filter, isNegated !== (filter.quantifier === "isNot"));
  }
}

function settleCondition(filter: Condition, isNegated: boolean): Filter {
  const { field, operator, operand } = filter;
  if (field.isList || field.type === "Json") throw uncertain;
  if (operator === "isNull") return condition(field, operator, (operand === true) !== isNegated);
  if (operand === null) return condition(field, "isNull", (operator === "equals") !== isNegated);
  return known(field, isNegated ? notOf(filter) : filter);
}

function settleOpaque(filter: Opaque, isNegated: boolean): Filter {
  const { field } = filter;
  if (field === undefined || field.isList || field.type === "Json") throw uncertain;
  return known(field, isNegated ? notOf(filter) : filter);
}

/** False if the field is NULL. */
const known = (field: StoredField, filter: Filter): Filter =>
  field.isRequired ? filter : allOf([filter, condition(field, "isNull", false)]);

/** A condition on many related rows is a subquery, which is always true or false. */
function settleMany(field: RelationField, quantifier: Quantifier, inner: Filter, isNegated: boolean): Filter {
  if (!isNegated) return related(field, quantifier, inner);
  if (quantifier === "every") return related(field, "some", notOf(inner));
  return related(field, quantifier === "some" ? "none" : "some", inner);
}

function settleOne(field: RelationField, inner: Filter | null, isNegated: boolean): Filter {
  if (inner === null) return related(field, isNegated ? "isNot" : "is", null);
  if (isEveryRow(inner)) return isNegated ? notOf(related(field, "is", inner)) : related(field, "is", inner);
  const found = related(field, "is", settle(inner, isNegated));
  return isNegated && !field.isRequired ? anyOf([related(field, "is", null), found]) : found;
}
