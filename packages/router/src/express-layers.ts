import type { IncomingMessage, ServerResponse } from "node:http";
import type { DeclaredRoute } from "./declaration/declared-route.js";

/**
 * What this package knows of the insides of Express's router (router 2.x). Everything else goes through these types
 * and functions.
 */

/** What a layer says of a path it matches: the part it matched, and the parameters found there. */
export interface LayerMatch {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A pattern as it was given to `use`, `route` or a verb. */
export type LayerPath = string | RegExp | readonly (string | RegExp)[];

/** One route with its handlers by method. */
export interface ExpressRoute {
  readonly path: LayerPath;
  readonly methods: Readonly<Record<string, boolean | undefined>>;
  /** Runs its handlers. */
  dispatch(request: IncomingMessage, response: ServerResponse, done: (error?: unknown) => void): void;
}

/** One entry of a router's stack: a route, or a handler mounted by `use`. */
export interface ExpressLayer {
  readonly route: ExpressRoute | undefined;
  readonly rawPath?: LayerPath;
  readonly handle: unknown;
  match(path: string): unknown;
}

/** An Express router, seen from inside. */
export interface LayeredRouter {
  readonly caseSensitive?: boolean;
  readonly mergeParams?: boolean;
  readonly strict?: boolean;
  /** Callbacks of `param`, by name. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly stack: ExpressLayer[];
}

/** The pattern of a layer; `undefined` when it cannot be known. */
export function layerPath(layer: ExpressLayer): LayerPath | undefined {
  return layer.rawPath ?? layer.route?.path;
}

/** Asks a layer whether it matches. */
export function matchLayer(layer: ExpressLayer, path: string): LayerMatch | undefined {
  try {
    const match = layer.match(path);
    // Before router 2.3 a layer answered with a boolean and kept the match on itself.
    if (match === true) return layer as unknown as LayerMatch;
    return match === false ? undefined : (match as LayerMatch);
  } catch {
    return undefined;
  }
}

/** The router that a layer mounts, when it mounts one. */
export function mountedRouter(layer: ExpressLayer): LayeredRouter | undefined {
  if (layer.route !== undefined || typeof layer.handle !== "function") return undefined;
  return Array.isArray((layer.handle as { stack?: unknown }).stack) ? (layer.handle as never) : undefined;
}

/** Whether Express runs what a layer mounts for errors, and for nothing else. */
export function isErrorHandler({ route, handle }: ExpressLayer): boolean {
  return route === undefined && typeof handle === "function" && handle.length === 4;
}

/** The upper-case methods that a route was given; `["*"]` for `all`. */
export function routeMethods(route: ExpressRoute): readonly string[] {
  const methods = Object.keys(route.methods);
  return takesEveryMethod(route) ? ["*"] : methods.map((method) => method.toUpperCase());
}

/** Whether a route came from `all`: such a route works like `use` and hides no other. */
export function takesEveryMethod(route: ExpressRoute): boolean {
  // `app.all` registers every method of Node one by one; nobody does that by hand.
  return route.methods._all === true || (route.methods.propfind === true && route.methods.unlink === true);
}

/** Whether a route takes a method, HEAD through GET included (RFC 9110, section 9.3.2). */
export function takesMethod(route: ExpressRoute, method: string): boolean {
  const name = method.toLowerCase();
  const { methods } = route;
  return methods._all === true || methods[name] === true || (name === "head" && methods.get === true);
}

const declaredKey = Symbol.for("servicekit.declaredRoute");

/** Notes on Express's route that it was declared. */
export function markDeclared(route: object, declared: DeclaredRoute): void {
  Object.defineProperty(route, declaredKey, { value: declared });
}

/** The declaration that Express's route was made from; `undefined` for plain Express routes. */
export function declaredRoute(route: ExpressRoute): DeclaredRoute | undefined {
  return (route as { [declaredKey]?: DeclaredRoute })[declaredKey];
}

const placeKey = Symbol("servicekit.place");

/** Notes on a plain route where it was written. */
export function markPlace(route: object, place: string): void {
  Object.defineProperty(route, placeKey, { value: place });
}

/** Where a plain route was written; `undefined` where nobody noted it. */
export function placeOf(route: ExpressRoute): string | undefined {
  return (route as { [placeKey]?: string })[placeKey];
}

/** Stands on every `ServiceRouter`. */
export const serviceRouterKey = Symbol.for("servicekit.ServiceRouter");

/** Whether a router is a `ServiceRouter`, of whichever copy of this package. */
export const isServiceRouter = (router: object): boolean => serviceRouterKey in router;
