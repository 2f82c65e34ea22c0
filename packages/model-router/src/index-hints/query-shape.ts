import type { StoredField } from "@servicekit/prisma";
import type { Filter } from "@servicekit/prisma/internal";
import type { ListQuery } from "../resource/query/read-list-query.js";

/** The conditions and the order of a list, without values. */
export interface QueryShape {
  /** Such as `kind__equals=…&sort=-weight`; equal for all lists with the same indexes. */
  readonly text: string;
  /** The fields of the model that an index of PostgreSQL's default type could compare: first those with one value. */
  readonly filtered: readonly StoredField[];
  readonly sorted: readonly SortedField[];
}

/** A field of an order. */
export interface SortedField {
  readonly field: StoredField;
  readonly direction: "asc" | "desc";
}

/** The operators that compare with one value, or with some. */
const equal: ReadonlySet<string> = new Set(["equals", "in", "isNull"]);
const ranges: ReadonlySet<string> = new Set(["lt", "lte", "gt", "gte"]);

/** The shape of a list; `undefined` without conditions and order. */
export function shapeOf(
  { options: { where, orderBy } }: ListQuery,
  fields: ReadonlyMap<string, StoredField>,
): QueryShape | undefined {
  const conditions = conditionsOf(where);
  const order = orderBy.flatMap((key) => Object.entries(key));
  const text = [
    ...new Set(conditions.map(textOf)),
    ...(order.length === 0 ? [] : [`sort=${order.map(([name, value]) => keyText(name, value)).join(",")}`]),
  ].join("&");
  if (text === "") return undefined;
  const of = (operators: ReadonlySet<string>): readonly StoredField[] =>
    conditions.flatMap((one) =>
      one.kind === "condition" && operators.has(one.operator) && isColumn(one.field) ? [one.field] : [],
    );
  const sorted = order.map(([name, value]): SortedField | undefined => {
    const field = fields.get(name);
    const direction = directionOf(value);
    return field === undefined || direction === undefined || !isColumn(field) ? undefined : { field, direction };
  });
  const isOwn = sorted.every((one) => one !== undefined);
  return { text, filtered: [...new Set([...of(equal), ...of(ranges)])], sorted: isOwn ? sorted : [] };
}

/** The members of a conjunction. */
const conditionsOf = (filter: Filter): readonly Filter[] => (filter.kind === "all" ? filter.filters : [filter]);

function textOf(filter: Filter): string {
  switch (filter.kind) {
    case "condition":
    case "json":
      return `${filter.field.name}__${filter.operator}=…`;
    case "related":
      return `${filter.field.name}__${filter.quantifier}=…`;
    case "any":
      return "or=…";
    case "not":
      return "not=…";
    default:
      return "…";
  }
}

const directionOf = (value: unknown): "asc" | "desc" | undefined => {
  const direction = typeof value === "object" && value !== null ? (value as { readonly sort?: unknown }).sort : value;
  return direction === "asc" || direction === "desc" ? direction : undefined;
};

const keyText = (name: string, value: unknown): string => `${directionOf(value) === "desc" ? "-" : ""}${name}`;

const isColumn = (field: StoredField): boolean =>
  !field.isList && !(field.kind === "scalar" && (field.expression !== undefined || field.type === "Json"));
