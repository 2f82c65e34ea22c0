import { fieldCondition } from "../conditions/field-condition.js";
import { json } from "../conditions/json-operand.js";
import type { Model } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import { type Condition, type Filter, isNoRow, type JsonCondition } from "./filter.js";

/** Converts a filter to Prisma's form. */
export function toWhere(filter: Filter, model: Model): Clause {
  return isNoRow(filter) ? whereNoRow(model) : write(filter);
}

function write(filter: Filter): Clause {
  switch (filter.kind) {
    case "all":
      return filter.filters.length === 0 ? {} : { AND: filter.filters.map(write) };
    case "any":
      return { OR: filter.filters.map(write) };
    case "not":
      return { NOT: write(filter.filter) };
    case "condition":
      return fieldCondition(filter.field, filter.operator, operandOf(filter));
    case "json":
      return { [filter.field.name]: jsonWhere(filter) };
    case "related":
      return { [filter.field.name]: { [filter.quantifier]: filter.filter === null ? null : write(filter.filter) } };
    case "opaque":
      return filter.where;
  }
}

const jsonWhere = ({ path, operator, operand, mode }: JsonCondition): Clause => ({
  path,
  [operator]: operand,
  ...(mode === undefined ? {} : { mode }),
});

/** A JSON value is wrapped, so that it is never read as operators. */
function operandOf({ field, operator, operand }: Condition): unknown {
  if (field.type !== "Json" || operator === "isNull" || operator === "isEmpty") return operand;
  return field.isList && operator !== "has" && Array.isArray(operand) ? operand.map(json) : json(operand);
}

/** A filter that matches no row. `{ OR: [] }` does not work: inside an `AND` the ORM ignores it. */
function whereNoRow(model: Model): Clause {
  const [field] = model.uniqueKeys[0]?.fields ?? [];
  const name = field?.name ?? model.fields.find(({ kind, isList }) => kind === "scalar" && !isList)?.name;
  if (name === undefined) throw new TypeError(`${model.name} has no field that a filter could name.`);
  return { [name]: { in: [] } };
}
