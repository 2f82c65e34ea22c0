import type { ScalarType, StoredField } from "../models/model.js";
import { quoteName } from "../models/quote-name.js";
import { SqlColumn, SqlExpression, type SqlPart } from "../models/sql-expression.js";
import { columnIn } from "./link.js";
import { giveUp } from "./not-foldable.js";
import type { Scope } from "./statement.js";

/** A stored field, or the expression of a computed one, in conditions and orders. */
export function operandSql(field: StoredField, scope: Scope): string {
  const expression = field.kind === "scalar" ? field.expression : undefined;
  if (expression === undefined) return columnIn(scope.alias, field);
  return `(${expressionSql(expression, scope)})::${types[(field as { type: ScalarType }).type] ?? giveUp()}`;
}

/** The type as which the values of an expression are compared. */
const types: Readonly<Partial<Record<ScalarType, string>>> = {
  String: "text",
  Float: "double precision",
  Boolean: "boolean",
  DateTime: "timestamp(3)",
};

function expressionSql({ texts, parts }: SqlExpression, scope: Scope): string {
  return texts
    .map((text, at) => (at < parts.length ? `${text}${partSql(parts[at] as SqlPart, scope)}` : text))
    .join("");
}

function partSql(part: SqlPart, scope: Scope): string {
  if (part instanceof SqlColumn) return `${scope.alias}.${quoteName(part.name)}`;
  if (part instanceof SqlExpression) return `(${expressionSql(part, scope)})`;
  const { statement } = scope;
  if (typeof part === "string") return `${statement.parameter(part)}::text`;
  return `${statement.parameter(String(part))}::${typeof part === "boolean" ? "boolean" : "numeric"}`;
}
