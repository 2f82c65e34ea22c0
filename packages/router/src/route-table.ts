import type { DeclaredRoute } from "./declaration/declared-route.js";
import {
  declaredRoute,
  type ExpressRoute,
  isServiceRouter,
  type LayeredRouter,
  type LayerMatch,
  layerPath,
  matchLayer,
  mountedRouter,
  placeOf,
  routeMethods,
  takesEveryMethod,
  takesMethod,
} from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";
import type { PathParams } from "./request-match.js";

/** One method and path that an application answers. */
export interface RouteEntry {
  /** Upper case; `*` for a route that takes every method. */
  readonly method: string;
  /** The whole path, with the prefixes of the routers above: `/api/users/:id`. */
  readonly path: string;
  /** The declaration; `undefined` for plain Express routes. */
  readonly route?: DeclaredRoute;
  /** The place in Express's order. */
  readonly position: number;
}

/** What a lookup found. */
export interface FoundRoute {
  readonly template: string;
  readonly route?: DeclaredRoute;
  /** The parameters that the path has for this route. */
  readonly params: PathParams;
}

/**
 * All routes below a router, read from the routers themselves: it knows of routes that are added later too. Routes of
 * mounted Express applications are not seen.
 */
export interface RouteTable {
  /** In the order in which Express tries them. */
  readonly entries: readonly RouteEntry[];
  /**
   * The first route that Express would reach. A route made by `all` counts only where no other follows, since such
   * routes are used like middleware.
   */
  find(method: string, path: string): FoundRoute | undefined;
  /** The methods that a path takes, sorted, with HEAD where GET is; `*` for every method; empty for an unknown path. */
  methodsAt(path: string): readonly string[];
}

/** Makes the table of all routes below a router. */
export function makeRouteTable(router: object): RouteTable {
  const root = router as LayeredRouter;
  return Object.freeze({
    get entries() {
      return listRoutes(root).map(({ entry }) => entry);
    },
    find: (method: string, path: string) => {
      let fallback: FoundRoute | undefined;
      for (const { route, template, params } of reached(root, method, path, start)) {
        if (!takesMethod(route, method)) continue;
        const declared = declaredRoute(route);
        const found = declared === undefined ? { template, params } : { template, route: declared, params };
        if (!takesEveryMethod(route)) return found;
        fallback ??= found;
      }
      return fallback;
    },
    methodsAt: (path: string) => {
      const methods = new Set<string>();
      // OPTIONS leaves no method out of the candidates.
      for (const { route } of reached(root, "OPTIONS", path, start)) {
        for (const method of routeMethods(route)) methods.add(method);
      }
      if (methods.has("GET")) methods.add("HEAD");
      return [...methods].sort();
    },
  });
}

interface Reached {
  readonly route: ExpressRoute;
  readonly template: string;
  readonly params: PathParams;
}

/** What the routers above have taken of a path. */
interface Taken {
  readonly template: string;
  readonly params: PathParams;
}

const start: Taken = { template: "", params: {} };

/** The routes that match a path, in Express's order, through all mounted routers. */
function* reached(router: LayeredRouter, method: string, path: string, above: Taken): Generator<Reached> {
  const index = layerIndexOf(router);
  for (const position of index.candidates(path, method)) {
    const layer = router.stack[position];
    const match = layer && matchLayer(layer, path);
    if (layer === undefined || match === undefined) continue;
    const params = paramsOf(router, match, above);
    if (layer.route !== undefined) {
      yield { route: layer.route, template: joinPaths(above.template, patternText(layer.route.path, path)), params };
      continue;
    }
    const mounted = mountedRouter(layer);
    if (mounted === undefined) continue;
    const rest = path.slice(match.path.length);
    if (rest !== "" && !rest.startsWith("/")) continue;
    const inner = rest.startsWith("/") ? rest : `/${rest}`;
    const template = joinPaths(above.template, patternText(layerPath(layer), match.path));
    yield* reached(mounted, method, inner, { template, params });
  }
}

/** As Express does it: a router forgets what the routers above have read, unless it was made with `mergeParams`. */
function paramsOf({ mergeParams }: LayeredRouter, match: LayerMatch, above: Taken): PathParams {
  const params = match.params as PathParams;
  return mergeParams ? { ...above.params, ...params } : params;
}

/** An entry, and its path with everything taken out that makes no difference to a match. */
export interface ListedRoute {
  readonly entry: RouteEntry;
  readonly shape: string;
  /** Where a plain route of a mounted `ServiceRouter` was written. */
  readonly plainPlace?: string;
}

/** Every route below a router, in Express's order. */
export function listRoutes(router: object): readonly ListedRoute[] {
  const routes: ListedRoute[] = [];
  list(router as LayeredRouter, { path: "", shape: "" }, [], routes);
  return routes;
}

interface Prefix {
  readonly path: string;
  readonly shape: string;
}

function list(router: LayeredRouter, prefix: Prefix, above: readonly LayeredRouter[], routes: ListedRoute[]): void {
  // A router mounted inside itself has no end.
  if (above.includes(router)) return;
  for (const layer of router.stack) {
    const mounted = mountedRouter(layer);
    for (const pattern of [layerPath(layer) ?? "/"].flat()) {
      const path = joinPaths(prefix.path, String(pattern));
      const shape = joinPaths(prefix.shape, shapeOf(pattern, router, layer.route !== undefined));
      if (mounted !== undefined) list(mounted, { path, shape }, [...above, router], routes);
      if (layer.route === undefined) continue;
      const route = declaredRoute(layer.route);
      const isPlain = route === undefined && above.length > 0 && isServiceRouter(router);
      const place = isPlain ? { plainPlace: placeOf(layer.route) ?? "an unknown place" } : {};
      for (const method of routeMethods(layer.route)) {
        const entry = { method, path, position: routes.length, ...(route === undefined ? {} : { route }) };
        routes.push({ entry, shape: `${method} ${shape}`, ...place });
      }
    }
  }
}

/** Names of parameters never make a difference; letter case and a trailing slash only where the router keeps them. */
function shapeOf(pattern: string | RegExp, router: LayeredRouter, isRoute: boolean): string {
  if (typeof pattern !== "string") return String(pattern);
  const nameless = pattern.replace(/([:*])[\p{ID_Continue}$]+/gu, "$1");
  const cased = router.caseSensitive ? nameless : nameless.toLowerCase();
  return isRoute && router.strict ? cased : cased.replace(/(?<=.)\/+$/, "");
}

/** A pattern as text; of a list, the first text (a log needs a name, not the exact one). */
function patternText(pattern: unknown, matched: string): string {
  if (typeof pattern === "string") return pattern;
  if (Array.isArray(pattern)) return patternText(pattern[0], matched);
  return pattern instanceof RegExp ? String(pattern) : matched;
}

/** `/api` and `/users` are `/api/users`; `/` adds nothing. */
function joinPaths(prefix: string, path: string): string {
  if (path === "/" || path === "") return prefix === "" ? "/" : prefix;
  const start = prefix === "/" ? "" : prefix.replace(/\/+$/, "");
  return `${start}${path}`;
}
