import { isPlainObject } from "@servicekit/core/internal";
import { isSortable } from "../conditions/operators-of.js";
import { isStored } from "../models/is-stored.js";
import { columnOf } from "./column.js";
import { joinOne, linkOf } from "./link.js";
import { giveUp } from "./not-foldable.js";
import { operandSql } from "./operand-sql.js";
import type { Scope } from "./statement.js";

/** Compiles an order in Prisma's form to `ORDER BY`; its joins are added to the scope. */
export function orderSql(orderBy: unknown, scope: Scope): string {
  const keys = (Array.isArray(orderBy) ? orderBy : [orderBy]).flatMap((one) => keysOf(one, scope));
  return keys.length === 0 ? giveUp() : ` ORDER BY ${keys.join(", ")}`;
}

function keysOf(order: unknown, scope: Scope): string[] {
  if (!isPlainObject(order)) return giveUp();
  return Object.keys(order).flatMap((name) => {
    const value = order[name];
    const field = scope.model.fieldsByName.get(name);
    if (field === undefined) return giveUp();
    if (field.kind === "relation") {
      if (field.isList) return giveUp();
      return keysOf(value, joinOne(scope, field, linkOf(scope.statement, scope.model, field)));
    }
    const compared = field.kind === "computed" ? field.comparable : field;
    if (compared === undefined || !isStored(compared) || !isSortable(compared)) return giveUp();
    return [`${columnOf(compared).compared(operandSql(compared, scope))} ${directionOf(value)}`];
  });
}

function directionOf(value: unknown): string {
  if (value === "asc") return "ASC";
  if (value === "desc") return "DESC";
  if (!isPlainObject(value)) return giveUp();
  const { sort, nulls, ...more } = value;
  if (Object.keys(more).length > 0) return giveUp();
  const direction = directionOf(typeof sort === "string" ? sort : giveUp());
  if (nulls === undefined) return direction;
  return nulls === "first" || nulls === "last" ? `${direction} NULLS ${nulls.toUpperCase()}` : giveUp();
}
