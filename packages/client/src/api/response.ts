import type { ApiShape } from "./api.js";

/** The names of the fields that a response may contain. */
export type FieldName<Api extends ApiShape<Api>, Resource extends keyof Api> = keyof Api[Resource]["row"] & string;

/** `["id", "name"]`, or `["-description"]` to exclude some. */
export type Fields<Api extends ApiShape<Api>, Resource extends keyof Api> =
  | readonly FieldName<Api, Resource>[]
  | readonly `-${FieldName<Api, Resource>}`[];

/** Relations to include, nested: `{ category: true, reviews: { customer: true } }`. */
export type Include<Api extends ApiShape<Api>, Resource extends keyof Api> = {
  readonly [Relation in keyof Api[Resource]["relations"]]?:
    | true
    | Include<Api, Target<Api, Api[Resource]["relations"][Relation]>>;
};

/** No relation is included. */
export type NoRelations = Record<never, never>;

/** The resource of a relation. */
export type Target<Api, Relation> = Relation extends { to: infer To extends keyof Api } ? To : never;

/** Rejects names that are not relations, which the type of a literal would accept next to a valid one. */
export type KnownRelations<Api extends ApiShape<Api>, Resource extends keyof Api, Selected> = {
  readonly [Relation in keyof Selected]: Relation extends keyof Api[Resource]["relations"]
    ? Selected[Relation] extends object
      ? KnownRelations<Api, Target<Api, Api[Resource]["relations"][Relation]>, Selected[Relation]>
      : Selected[Relation]
    : never;
};

/** A row of a response: the requested fields and relations. */
export type Row<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Selected = undefined,
  Included = NoRelations,
> = Flat<Shown<Api[Resource]["row"], Selected> & Related<Api, Resource, Included>>;

/** An intersection as one object type. */
export type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** For a list whose names are only known at run time, every field is optional. */
type Shown<Full, Selected> = Selected extends readonly (infer Name extends string)[]
  ? number extends Selected["length"]
    ? Partial<Named<Full, Name>>
    : Named<Full, Name>
  : Full;

type Named<Full, Name extends string> = [Name] extends [`-${infer Left}`]
  ? Omit<Full, Left>
  : Pick<Full, Name & keyof Full>;

type Related<Api extends ApiShape<Api>, Resource extends keyof Api, Included> = {
  [Relation in keyof Included &
    keyof Api[Resource]["relations"]]: Api[Resource]["relations"][Relation] extends infer Led
    ? Led extends { to: infer To extends keyof Api }
      ? Many<Led, Row<Api, To, undefined, Branches<Included[Relation]>>>
      : never
    : never;
};

type Branches<Included> = Included extends object ? Included : NoRelations;

type Many<Relation, One> = Relation extends { list: true }
  ? One[]
  : Relation extends { nullable: true }
    ? One | null
    : One;
