import type { Fields, Include, KnownRelations, Target } from "./answer.js";
import type { ApiShape } from "./api.js";

/** What a filter may say of a field: its value, or operators. */
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

/** Which rows: conditions of fields and of related rows, all of which hold, and groups. */
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

/** How many relations a key may go through, as a type. */
type Sortable1 = [unknown];

type ThroughRelation<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> = {
  [Relation in keyof Api[Resource]["relations"]]: Api[Resource]["relations"][Relation] extends { list: true }
    ? never
    : `${Relation & string}.${Reached<Api, Target<Api, Api[Resource]["relations"][Relation]>, Hops>}`;
}[keyof Api[Resource]["relations"]];

type Reached<Api extends ApiShape<Api>, Resource extends keyof Api, Hops extends unknown[]> =
  | Sortable<Api, Resource>
  | (Hops extends [unknown, ...infer Rest] ? ThroughRelation<Api, Resource, Rest> : never);

/** What a question asks to be shown. */
export interface Shape<Api extends ApiShape<Api>, Resource extends keyof Api, Asked, Included> {
  /** Only these fields, or all but those that have a `-`. */
  readonly fields?: Asked & (Fields<Api, Resource> | undefined);
  /** Related rows. */
  readonly include?: Included & KnownRelations<Api, Resource, Included> & Include<Api, Resource>;
}

/** Which rows of a list, and in what order. */
export interface Selection<Api extends ApiShape<Api>, Resource extends keyof Api> {
  readonly where?: Where<Api, Resource>;
  /** Words that each stand in some text field. */
  readonly search?: string;
  readonly sort?: readonly SortKey<Api, Resource>[];
  /** Rows of a page. @default what the service says, 20 unless told */
  readonly limit?: number;
}

/** A question for one page of a list. */
export interface ListQuestion<Api extends ApiShape<Api>, Resource extends keyof Api, Asked, Included>
  extends Selection<Api, Resource>,
    Shape<Api, Resource, Asked, Included> {
  /** From 1. */
  readonly page?: number;
  /** `""` for the first page, then `meta.nextCursor` of the page before. */
  readonly cursor?: string;
  /** `false` leaves the total out, and saves its query. */
  readonly count?: boolean;
}
