import type { RelationField, StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";

/**
 * A filter as a value: query conditions, row rules and the `where` of Prisma Client are read into it once, with the fields of the
 * model. Each use is a fold over it: the `where` of Prisma Client (`to-where`), SQL (`sql/filter-sql`), and those of `model-router`.
 *
 * A condition on a NULL is neither met nor unmet, as in SQL, and neither is its negation.
 */
export type Filter = All | Any | Not | Condition | JsonCondition | Related | Opaque;

/** All of these match; without members: every row. */
export interface All {
  readonly kind: "all";
  readonly filters: readonly Filter[];
}

/** At least one of these matches; without members: no row. */
export interface Any {
  readonly kind: "any";
  readonly filters: readonly Filter[];
}

/** This does not match. */
export interface Not {
  readonly kind: "not";
  readonly filter: Filter;
}

/** A comparison of one stored field. */
export interface Condition {
  readonly kind: "condition";
  readonly field: StoredField;
  /** One of contract C18 that the field supports. */
  readonly operator: string;
  /** A value of the field's type, a list of them, or the operator's operand; texts are literal. */
  readonly operand: unknown;
}

/** A comparison of the value at a path of a `Json` field, as Prisma Client has it. */
export interface JsonCondition {
  readonly kind: "json";
  readonly field: StoredField;
  /** Names of members and indexes of items; never empty. */
  readonly path: readonly string[];
  /** An operator of Prisma Client, such as `equals` and `string_contains`. */
  readonly operator: string;
  readonly operand: unknown;
  readonly mode: unknown;
}

/** `some`, `every` and `none` of a to-many relation; `is` and `isNot` of a to-one relation. */
export type Quantifier = "some" | "every" | "none" | "is" | "isNot";

/** A filter on related rows. */
export interface Related {
  readonly kind: "related";
  readonly field: RelationField;
  readonly quantifier: Quantifier;
  /** `null` for no row: `is` null, `isNot` null. */
  readonly filter: Filter | null;
}

/** A condition that only the ORM understands: it is passed on unchanged, and nothing is known about it. */
export interface Opaque {
  readonly kind: "opaque";
  readonly where: Clause;
  /** The field that it compares, if it is a comparison that is unknown only for NULL. */
  readonly field: StoredField | undefined;
}

/** Matches every row. */
export const everyRow: Filter = Object.freeze<All>({ kind: "all", filters: Object.freeze([]) });

/** Matches no row. */
export const noRow: Filter = Object.freeze<Any>({ kind: "any", filters: Object.freeze([]) });

/** Whether a filter is {@link everyRow}: the only conjunction without members. */
export const isEveryRow = (filter: Filter): boolean => filter.kind === "all" && filter.filters.length === 0;

/** Whether a filter is {@link noRow}: the only alternative without members. */
export const isNoRow = (filter: Filter): boolean => filter.kind === "any" && filter.filters.length === 0;

/** All of these; {@link everyRow} and {@link noRow} are never nested in another filter. */
export function allOf(filters: readonly Filter[]): Filter {
  const members = joinRelated(
    filters.flatMap((filter) => (filter.kind === "all" ? filter.filters : [filter])),
    joinedByAll,
  );
  if (members.some(isNoRow)) return noRow;
  const [first] = members;
  if (members.length < 2) return first ?? everyRow;
  return Object.freeze<All>({ kind: "all", filters: Object.freeze(members) });
}

/** At least one of these. */
export function anyOf(filters: readonly Filter[]): Filter {
  const members = joinRelated(
    filters.flatMap((filter) => (filter.kind === "any" ? filter.filters : [filter])),
    joinedByAny,
  );
  if (members.some(isEveryRow)) return everyRow;
  const [first] = members;
  if (members.length < 2) return first ?? noRow;
  return Object.freeze<Any>({ kind: "any", filters: Object.freeze(members) });
}

type Join = (filters: readonly Filter[]) => Filter;

/**
 * How filters on the same relation are merged, so that the database reads the relation once. For to-many relations that
 * is possible only if the quantifier distributes: two `some` combined with AND may be matched by different rows.
 */
const joinedByAll: Readonly<Partial<Record<Quantifier, Join>>> = { is: allOf, isNot: anyOf, every: allOf, none: anyOf };
const joinedByAny: Readonly<Partial<Record<Quantifier, Join>>> = { is: anyOf, isNot: allOf, some: anyOf };

function joinRelated(
  filters: readonly Filter[],
  joins: Readonly<Partial<Record<Quantifier, Join>>>,
): readonly Filter[] {
  // Most filters have nothing to join.
  if (filters.length < 2 || filters.filter(({ kind }) => kind === "related").length < 2) return filters;
  const groups = new Map<string, { readonly first: Related; readonly inside: Filter[] }>();
  const joined = filters.map((filter) => {
    if (filter.kind !== "related" || filter.filter === null || joins[filter.quantifier] === undefined) return filter;
    const key = `${filter.field.name} ${filter.quantifier}`;
    const group = groups.get(key) ?? { first: filter, inside: [] };
    group.inside.push(filter.filter);
    if (groups.has(key)) return undefined;
    groups.set(key, group);
    return group;
  });
  return joined.flatMap((one) => {
    if (one === undefined) return [];
    if (!("inside" in one)) return [one];
    const { first, inside } = one;
    const join = joins[first.quantifier];
    return inside.length < 2 || join === undefined ? [first] : [related(first.field, first.quantifier, join(inside))];
  });
}

/** The negation. */
export function notOf(filter: Filter): Filter {
  if (isEveryRow(filter)) return noRow;
  if (isNoRow(filter)) return everyRow;
  return Object.freeze<Not>({ kind: "not", filter });
}

/** A comparison of a stored field. */
export function condition(field: StoredField, operator: string, operand: unknown): Filter {
  return Object.freeze<Condition>({ kind: "condition", field, operator, operand });
}

/** A comparison of the value at a path of a `Json` field. */
export function jsonCondition(
  field: StoredField,
  path: readonly string[],
  operator: string,
  operand: unknown,
  mode: unknown,
): Filter {
  return Object.freeze<JsonCondition>({ kind: "json", field, path, operator, operand, mode });
}

/** A filter on related rows. */
export function related(field: RelationField, quantifier: Quantifier, filter: Filter | null): Filter {
  const make = (word: Quantifier, inner: Filter | null): Filter =>
    Object.freeze<Related>({ kind: "related", field, quantifier: word, filter: inner });
  if (filter === null) return make(quantifier, null);
  if (isNoRow(filter)) {
    if (quantifier === "every") return make("none", everyRow);
    return quantifier === "some" || quantifier === "is" ? noRow : everyRow;
  }
  if (isEveryRow(filter)) {
    if (quantifier === "every") return everyRow;
    if (quantifier === "isNot") return notOf(make("is", everyRow));
  }
  return make(quantifier, filter);
}

/** A condition that only the ORM understands. */
export function opaque(where: Clause, field?: StoredField): Filter {
  return Object.freeze<Opaque>({ kind: "opaque", where, field });
}
