import type { ApiShape, ResourceApi } from "./api.js";

/** The computed fields of resources, by name. */
export type ComputedShape<Api> = { readonly [Resource in keyof Api]?: object };

/**
 * The models of a service with the computed fields of their rows (contract C102), which the generator does not know:
 * `makeClient<WithComputed<Api, { users: { fullName: string } }>>()`.
 *
 * @typeParam Queryable the names of the computed fields with `sql`, which filters and orders may use: `{ users: "fullName" }`
 */
export type WithComputed<
  Api extends ApiShape<Api>,
  Computed extends ComputedShape<Api>,
  Queryable extends { readonly [Resource in keyof Computed]?: keyof Computed[Resource] } = Record<never, never>,
> = {
  [Resource in keyof Api]: Resource extends keyof Computed
    ? WithFields<Api[Resource], Computed[Resource], Resource extends keyof Queryable ? Queryable[Resource] : never>
    : Api[Resource];
};

/** The row without computed fields remains that of the signed-in user. */
type WithFields<One extends ResourceApi, Fields, Names> = Omit<One, "row" | "filters"> & {
  filters: { [Field in keyof One["filters"]]: One["filters"][Field] } & {
    -readonly [Field in keyof Fields & Names]: {
      value: NonNullable<Fields[Field]>;
      operators: OperatorsOf<NonNullable<Fields[Field]>> | (null extends Fields[Field] ? "isNull" : never);
    };
  };
  row: { [Field in keyof One["row"]]: One["row"][Field] } & { -readonly [Field in keyof Fields]: Fields[Field] };
  storedRow: One["row"];
};

type Equality = "equals" | "not";
type Comparison = Equality | "in" | "notIn" | "lt" | "lte" | "gt" | "gte";
type Pattern = "contains" | "startsWith" | "endsWith";

/** The operators of a computed field by the type of its values. */
type OperatorsOf<Value> = Value extends boolean
  ? Equality
  : Value extends string
    ? Comparison | Pattern | `i${Pattern}` | "iequals"
    : Comparison;

/** The computed fields of a model's configuration, the result of `defineModel` of `typedModels`. */
export type ComputedOf<Config> = Config extends { readonly computed?: infer Fields }
  ? { [Field in keyof NonNullable<Fields>]: OutputOf<NonNullable<Fields>[Field]> }
  : Record<never, never>;

/** The value of a Zod schema, by its form: clients do not need Zod. */
type OutputOf<Field> = Field extends { readonly type: { readonly _zod: { readonly output: infer Output } } }
  ? Output
  : unknown;
