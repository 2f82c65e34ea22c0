import type { ApiShape } from "./api.js";
import type { DeletedRows } from "./deleted.js";
import type { Condition, KnownKeys, Where } from "./query.js";
import type { Flat, Target } from "./response.js";

/** The names of the fields with this property in the generated types. */
type FieldsWith<Api extends ApiShape<Api>, Resource extends keyof Api, Property> = {
  [Field in keyof Api[Resource]["filters"]]: Api[Resource]["filters"][Field] extends Property ? Field & string : never;
}[keyof Api[Resource]["filters"]];

type Comparable<Api extends ApiShape<Api>, Resource extends keyof Api> = Exclude<
  keyof Api[Resource]["filters"] & string,
  FieldsWith<Api, Resource, { unsorted: true }>
>;
type Summed<Api extends ApiShape<Api>, Resource extends keyof Api> = FieldsWith<Api, Resource, { sum: unknown }>;
type Ranked<Api extends ApiShape<Api>, Resource extends keyof Api> = Exclude<
  Comparable<Api, Resource>,
  FieldsWith<Api, Resource, { unranked: true }>
>;

/** The periods that dates are grouped by. */
type Period = "day" | "week" | "month" | "quarter" | "year";

type OwnGroup<Api extends ApiShape<Api>, Resource extends keyof Api> =
  | Comparable<Api, Resource>
  | `${FieldsWith<Api, Resource, { periods: true }>}:${Period}`;

/** `"status"`, `"placedAt:month"`, or through up to two relations to one row: `"customer.name"`. */
export type GroupKey<Api extends ApiShape<Api>, Resource extends keyof Api> =
  | OwnGroup<Api, Resource>
  | RelatedGroup<Api, Resource, [unknown]>;

type RelatedGroup<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> = {
  [Relation in keyof Api[Resource]["relations"]]: Api[Resource]["relations"][Relation] extends { list: true }
    ? never
    : `${Relation & string}.${GroupAt<Api, Target<Api, Api[Resource]["relations"][Relation]>, Hops>}`;
}[keyof Api[Resource]["relations"]];

type GroupAt<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> =
  | OwnGroup<Api, Resource>
  | (Hops extends [unknown, ...infer Rest] ? RelatedGroup<Api, Resource, Rest> : never);

/** `"count"`, `"sum.total"`. */
export type MeasureName<Api extends ApiShape<Api>, Resource extends keyof Api> =
  | "count"
  | `${"sum" | "avg"}.${Summed<Api, Resource>}`
  | `${"min" | "max"}.${Ranked<Api, Resource>}`
  | `countDistinct.${Comparable<Api, Resource>}`;

type Signed<Name extends string> = Name | `-${Name}`;

type MeasureOperator = "equals" | "not" | "in" | "notIn" | "lt" | "lte" | "gt" | "gte";

type Operand<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Name,
> = Name extends `${"min" | "max"}.${infer Field}`
  ? Field extends keyof Api[Resource]["filters"]
    ? Api[Resource]["filters"][Field] extends { value: infer Value }
      ? Condition<{ value: Value; operators: MeasureOperator | "isNull" }>
      : never
    : never
  : Name extends `${"sum" | "avg"}.${string}`
    ? Condition<{ value: string | number; operators: MeasureOperator | "isNull" }>
    : Condition<{ value: number; operators: MeasureOperator }>;

/** A query for groups of rows (contract C98). */
export interface AggregateQuery<Api extends ApiShape<Api>, Resource extends keyof Api>
  extends DeletedRows<Api, Resource> {
  /** Without it, all rows are one group. */
  readonly groupBy?: readonly GroupKey<Api, Resource>[];
  /** The number of rows. */
  readonly count?: boolean;
  readonly sum?: readonly Summed<Api, Resource>[];
  readonly avg?: readonly Summed<Api, Resource>[];
  readonly min?: readonly Ranked<Api, Resource>[];
  readonly max?: readonly Ranked<Api, Resource>[];
  /** The number of different values, without NULL. */
  readonly countDistinct?: readonly Comparable<Api, Resource>[];
  /** Conditions on measures, combined with AND: `{ "sum.total": { gt: "100" } }`. */
  readonly having?: { readonly [Name in MeasureName<Api, Resource>]?: Operand<Api, Resource, Name> };
  readonly sort?: readonly Signed<GroupKey<Api, Resource> | MeasureName<Api, Resource>>[];
  readonly where?: Where<Api, Resource>;
  /** Words, each of which must occur in some text field. */
  readonly search?: string;
  /** The IANA name of the time zone of periods. @default "UTC" */
  readonly timeZone?: string;
  /** Groups of a page. @default 100 */
  readonly limit?: number;
  /** Page number, starting at 1. */
  readonly page?: number;
}

/** Rejects unknown keys of a query and of its filter. */
export type KnownAggregate<Api extends ApiShape<Api>, Resource extends keyof Api, Query> = KnownKeys<
  Api,
  Resource,
  Query,
  keyof AggregateQuery<Api, Resource>
>;

type GroupValue<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Key,
> = Key extends `${infer Relation}.${infer Rest}`
  ? Relation extends keyof Api[Resource]["relations"]
    ? GroupValue<Api, Target<Api, Api[Resource]["relations"][Relation]>, Rest> | null
    : never
  : Key extends `${infer Field}:${Period}`
    ? string | (null extends FieldValue<Api, Resource, Field> ? null : never)
    : FieldValue<Api, Resource, Key>;

type FieldValue<Api extends ApiShape<Api>, Resource extends keyof Api, Field> = Field extends keyof Api[Resource]["row"]
  ? Api[Resource]["row"][Field]
  : never;

type SumValue<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Field,
> = Field extends keyof Api[Resource]["filters"]
  ? Api[Resource]["filters"][Field] extends { sum: infer Value }
    ? Value | null
    : never
  : never;

/** The names in a list of a query; `never` without one. */
type Named<Query, Key> = Key extends keyof Query
  ? Query[Key] extends readonly (infer Name extends string)[]
    ? Name
    : never
  : never;

/** A member of a response, if the query has it. */
type Member<Query, Key extends string, Values> = Key extends keyof Query ? { [Name in Key]: Values } : unknown;

/** A group of a response: its values, and the requested measures. */
export type AggregateRow<Api extends ApiShape<Api>, Resource extends keyof Api, Query> = Flat<
  (Query extends { groupBy: unknown }
    ? { group: { [Key in Named<Query, "groupBy">]: GroupValue<Api, Resource, Key> } }
    : unknown) &
    (Query extends { count: true } ? { count: number } : unknown) &
    Member<Query, "sum", { [Field in Named<Query, "sum">]: SumValue<Api, Resource, Field> }> &
    Member<Query, "avg", { [Field in Named<Query, "avg">]: SumValue<Api, Resource, Field> }> &
    Member<Query, "min", { [Field in Named<Query, "min">]: FieldValue<Api, Resource, Field> | null }> &
    Member<Query, "max", { [Field in Named<Query, "max">]: FieldValue<Api, Resource, Field> | null }> &
    Member<Query, "countDistinct", { [Field in Named<Query, "countDistinct">]: number }>
>;

/** The groups of one page. */
export interface AggregatePage<Row> {
  readonly data: Row[];
  readonly meta: {
    /** Of this page. */
    readonly count: number;
    readonly limit: number;
    readonly page: number;
    /** Whether there is a next page. */
    readonly hasMore: boolean;
  };
}
