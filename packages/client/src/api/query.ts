import type { ApiShape } from "./api.js";
import type { DeletedRows } from "./deleted.js";
import type { Fields, Include, KnownRelations, Target } from "./response.js";

/** A filter of a field: its value, or operators. */
export type Condition<Field> = Field extends { value: infer Value; operators: infer Operator extends string }
  ?
      | ("in" extends Operator ? Value | readonly Value[] : never)
      | ("isNull" extends Operator ? null : never)
      | { readonly [Name in Operator]?: Operand<Name, Operator, Value> }
  : never;

type Operand<Name, Operator, Value> = Name extends "in" | "notIn" | "hasSome" | "hasEvery"
  ? readonly Value[]
  : Name extends "isNull" | "isEmpty"
    ? boolean
    : Name extends "equals"
      ? "has" extends Operator
        ? readonly Value[]
        : Nullable<Operator, Value>
      : Name extends "not"
        ? Nullable<Operator, Value>
        : Value;

type Nullable<Operator, Value> = "isNull" extends Operator ? Value | null : Value;

/** A filter of rows: conditions on fields and related rows, combined with AND, and groups. */
export type Where<Api extends ApiShape<Api>, Resource extends keyof Api> = {
  readonly [Field in keyof Api[Resource]["filters"]]?: Condition<Api[Resource]["filters"][Field]>;
} & {
  readonly [Relation in keyof Api[Resource]["relations"]]?: RelatedWhere<Api, Api[Resource]["relations"][Relation]>;
} & {
  readonly AND?: readonly Where<Api, Resource>[];
  readonly OR?: readonly Where<Api, Resource>[];
  readonly NOT?: Where<Api, Resource> | readonly Where<Api, Resource>[];
};

type RelatedWhere<Api extends ApiShape<Api>, Relation> =
  | Where<Api, Target<Api, Relation>>
  | (Relation extends { list: true }
      ? { readonly [Name in "some" | "every" | "none"]?: Where<Api, Target<Api, Relation>> }
      :
          | { readonly [Name in "is" | "isNot"]?: Where<Api, Target<Api, Relation>> }
          | (Relation extends { nullable: true } ? null : never));

/** `"price"`, `"-price"`, or through relations to one row: `"category.name"`. */
export type SortKey<Api extends ApiShape<Api>, Resource extends keyof Api> = Signed<
  Sortable<Api, Resource> | ThroughRelation<Api, Resource, Sortable1>
>;

type Signed<Name extends string> = Name | `-${Name}`;

type Sortable<Api extends ApiShape<Api>, Resource extends keyof Api> = {
  [Field in keyof Api[Resource]["filters"]]: Api[Resource]["filters"][Field] extends { unsorted: true }
    ? never
    : Field & string;
}[keyof Api[Resource]["filters"]];

/** The maximum number of relations in a sort key, as a type. */
type Sortable1 = [unknown];

type ThroughRelation<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> = {
  [Relation in keyof Api[Resource]["relations"]]: Api[Resource]["relations"][Relation] extends { list: true }
    ? never
    : `${Relation & string}.${Reached<Api, Target<Api, Api[Resource]["relations"][Relation]>, Hops>}`;
}[keyof Api[Resource]["relations"]];

type Reached<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> =
  | Sortable<Api, Resource>
  | (Hops extends [unknown, ...infer Rest] ? ThroughRelation<Api, Resource, Rest> : never);

/** The fields and relations of a response. */
export interface Shape<Api extends ApiShape<Api>, Resource extends keyof Api, Selected, Included> {
  /** Only these fields, or all but those with a `-`. */
  readonly fields?: Selected & (Fields<Api, Resource> | undefined);
  /** Related rows. */
  readonly include?: Included & KnownRelations<Api, Resource, Included> & Include<Api, Resource>;
}

/** The rows of a list and their order. */
export interface Selection<Api extends ApiShape<Api>, Resource extends keyof Api> extends DeletedRows<Api, Resource> {
  readonly where?: Where<Api, Resource>;
  /** Words, each of which must occur in some text field. */
  readonly search?: string;
  readonly sort?: readonly SortKey<Api, Resource>[];
  /** Page size. @default the service's default, normally 20 */
  readonly limit?: number;
}

/** A query for one page of a list. */
export interface ListQuery<Api extends ApiShape<Api>, Resource extends keyof Api, Selected, Included>
  extends Selection<Api, Resource>,
    Shape<Api, Resource, Selected, Included> {
  /** Page number, starting at 1. */
  readonly page?: number;
  /** `""` for the first page, then `meta.nextCursor` of the previous page. */
  readonly cursor?: string;
  /** `false` omits the total and saves its query; `"estimated"` and `"limited"` are faster than `"exact"` on large tables. */
  readonly count?: boolean | "exact" | "estimated" | "limited";
  /** Whether `meta.highlights` has excerpts with the words of `search`, for resources with full-text search. */
  readonly highlight?: boolean;
}

/**
 * Rejects keys of a query except these, and unknown ones of its filter. TypeScript itself accepts them in a variable that
 * also has a known key, such as `limit`.
 */
export type KnownKeys<Api extends ApiShape<Api>, Resource extends keyof Api, Query, Known> = {
  readonly [Key in keyof Query]: Key extends "where"
    ? KnownWhere<Api, Resource, Query[Key]>
    : Key extends Known
      ? unknown
      : never;
};

/** Rejects unknown keys of the query of a list and of its filter. */
export type KnownQuery<Api extends ApiShape<Api>, Resource extends keyof Api, Query> = KnownKeys<
  Api,
  Resource,
  Query,
  keyof ListQuery<Api, Resource, unknown, unknown>
>;

/** Rejects unknown fields, relations and operators of a filter. */
type KnownWhere<Api extends ApiShape<Api>, Resource extends keyof Api, Given> = Given extends readonly unknown[]
  ? { readonly [Index in keyof Given]: KnownWhere<Api, Resource, Given[Index]> }
  : Given extends object
    ? {
        readonly [Key in keyof Given]: Key extends "AND" | "OR" | "NOT"
          ? KnownWhere<Api, Resource, Given[Key]>
          : Key extends keyof Api[Resource]["filters"]
            ? KnownCondition<Api[Resource]["filters"][Key], Given[Key]>
            : Key extends keyof Api[Resource]["relations"]
              ? KnownRelated<Api, Target<Api, Api[Resource]["relations"][Key]>, Given[Key]>
              : never;
      }
    : unknown;

// A value would fit in the optional operators once they are intersected with its own type, so it is checked alone.
type KnownCondition<Field, Given> = Given extends readonly unknown[]
  ? Extract<Condition<Field>, readonly unknown[]>
  : Given extends object
    ? Field extends { operators: infer Operator }
      ? { readonly [Key in keyof Given]: Key extends Operator ? unknown : never }
      : unknown
    : Exclude<Condition<Field>, object> | undefined;

type KnownRelated<Api extends ApiShape<Api>, Resource extends keyof Api, Given> = Given extends object
  ? keyof Given & Quantifier extends never
    ? KnownWhere<Api, Resource, Given>
    : { readonly [Key in keyof Given]: Key extends Quantifier ? KnownWhere<Api, Resource, Given[Key]> : never }
  : null | undefined;

/** The operators of a relation. */
type Quantifier = "some" | "every" | "none" | "is" | "isNot";
