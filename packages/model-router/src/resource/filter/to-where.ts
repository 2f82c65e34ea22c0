import { fieldCondition, type Model } from "@servicekit/prisma";
import { json } from "@servicekit/prisma/internal";
import { type Condition, type Filter, isNoRow } from "./filter.js";
import type { Where } from "./where.js";

/** The fold to Prisma's form. */
export function toWhere(filter: Filter, model: Model): Where {
  return isNoRow(filter) ? whereNoRow(model) : write(filter);
}

function write(filter: Filter): Where {
  switch (filter.kind) {
    case "all":
      return filter.filters.length === 0 ? {} : { AND: filter.filters.map(write) };
    case "any":
      return { OR: filter.filters.map(write) };
    case "not":
      return { NOT: write(filter.filter) };
    case "condition":
      return fieldCondition(filter.field, filter.operator, operandOf(filter));
    case "related":
      return { [filter.field.name]: { [filter.quantifier]: filter.filter === null ? null : write(filter.filter) } };
    case "opaque":
      return filter.where;
  }
}

/** A JSON value is marked as one, so that it is never taken for operators. */
function operandOf({ field, operator, operand }: Condition): unknown {
  if (field.type !== "Json" || operator === "isNull" || operator === "isEmpty") return operand;
  return field.isList && operator !== "has" && Array.isArray(operand) ? operand.map(json) : json(operand);
}

/** A filter that meets no row. `{ OR: [] }` is none: inside an `AND` the ORM forgets it. */
function whereNoRow(model: Model): Where {
  const [field] = model.uniqueKeys[0]?.fields ?? [];
  const name = field?.name ?? model.fields.find(({ kind, isList }) => kind === "scalar" && !isList)?.name;
  if (name === undefined) throw new TypeError(`${model.name} has no field that a filter could name.`);
  return { [name]: { in: [] } };
}
