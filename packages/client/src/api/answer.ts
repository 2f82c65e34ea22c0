import type { ApiShape } from "./api.js";

/** The names of the fields that an answer may show. */
export type FieldName<Api extends ApiShape<Api>, Resource extends keyof Api> = keyof Api[Resource]["row"] & string;

/** `["id", "name"]`, or `["-description"]` for all but some. */
export type Fields<Api extends ApiShape<Api>, Resource extends keyof Api> =
  | readonly FieldName<Api, Resource>[]
  | readonly `-${FieldName<Api, Resource>}`[];

/** Relations to answer with, inside each other: `{ category: true, reviews: { customer: true } }`. */
export type Include<Api extends ApiShape<Api>, Resource extends keyof Api> = {
  readonly [Relation in keyof Api[Resource]["relations"]]?:
    | true
    | Include<Api, Target<Api, Api[Resource]["relations"][Relation]>>;
};

/** No relation is asked for. */
export type NoRelations = Record<never, never>;

/** The resource that a relation leads to. */
export type Target<Api, Relation> = Relation extends { to: infer To extends keyof Api } ? To : never;

/** Refuses what is no relation, which the type of a literal would let through beside one that is. */
export type KnownRelations<Api extends ApiShape<Api>, Resource extends keyof Api, Asked> = {
  readonly [Relation in keyof Asked]: Relation extends keyof Api[Resource]["relations"]
    ? Asked[Relation] extends object
      ? KnownRelations<Api, Target<Api, Api[Resource]["relations"][Relation]>, Asked[Relation]>
      : Asked[Relation]
    : never;
};

/** A row of the answer to a question: the fields and relations that were asked for. */
export type Row<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Asked = undefined,
  Included = NoRelations,
> = Flat<Shown<Api[Resource]["row"], Asked> & Related<Api, Resource, Included>>;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** A list whose names are not known before it runs may leave each of them out. */
type Shown<Full, Asked> = Asked extends readonly (infer Name extends string)[]
  ? number extends Asked["length"]
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
