import { fillPath } from "../path.js";
import { writePlainQuery } from "../write-query.js";
import type { CallOptions, Sent } from "./send.js";

/** The parameter names of a path. */
type ParameterOf<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Declared<Route, Key extends string> = Key extends keyof Route
  ? undefined extends Route[Key]
    ? { readonly [Name in Key]?: Exclude<Route[Key], undefined> }
    : { readonly [Name in Key]: Route[Key] }
  : unknown;

type Params<Path, Route> = Route extends { params: infer Value }
  ? { readonly params: Value }
  : [ParameterOf<Path>] extends [never]
    ? unknown
    : { readonly params: { readonly [Name in ParameterOf<Path>]: string | number } };

/** The parameters of a call of a declared route: path parameters, query and body. */
export type RouteCall<Path, Route> = Params<Path, Route> &
  Declared<Route, "query"> &
  Declared<Route, "body"> &
  CallOptions;

interface AnyCall extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: unknown;
}

/** The request of a declared route: `POST /api/orders/:id/ship`. */
export function writeRouteCall(route: string, { params = {}, query, ...rest }: AnyCall = {}): Sent {
  const [method = "", template = ""] = route.split(" ");
  return { method, path: fillPath(template, params) + writePlainQuery(query), ...rest };
}
