import type { RequestHandler } from "express";
import { closedMethods } from "./close-methods.js";
import type { DeclaredRoute } from "./declaration/declared-route.js";
import { type BehindRoutes, type ClearWay, type LayerPlace, roleOf } from "./direct-dispatch.js";
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
import type { PathParams } from "./request-path.js";

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
    find: (method: string, path: string) => findRoute(root, method, path)?.found,
    methodsAt: (path: string) => {
      const methods = new Set<string>();
      // OPTIONS leaves no method out of the candidates.
      for (const { route, closed } of reached(root, "OPTIONS", path, start, makeWalk())) {
        for (const method of routeMethods(route)) if (!closed.has(method)) methods.add(method);
      }
      if (methods.has("GET")) methods.add("HEAD");
      return [...methods].sort();
    },
  });
}

/** What a request comes to, and the way to it where that is clear. */
export interface RouteLookup {
  readonly found?: FoundRoute;
  readonly way?: ClearWay;
  /** Where no route is found: the handler behind all of them. */
  readonly end?: BehindRoutes | undefined;
  /** Where requests were matched. */
  readonly entry?: LayerPlace | undefined;
}

/**
 * What {@link RouteTable.find} finds, with the way to it.
 *
 * @param visited gets the routers that were looked into
 */
export function findRoute(root: object, method: string, path: string, visited: VisitedRouter[] = []): RouteLookup {
  let fallback: RouteLookup = {};
  const walk = makeWalk(visited);
  for (const each of reached(root as LayeredRouter, method, path, start, walk)) {
    const { route, template, params, baseUrl, rest, closed, place } = each;
    if (!takesMethod(route, method) || closed.has(method)) continue;
    const declared = declaredRoute(route);
    const found = declared === undefined ? { template, params } : { template, route: declared, params };
    if (!takesEveryMethod(route)) {
      // Handlers of errors in a route would get one twice: from it, and from Express behind it.
      const isClear =
        walk.entry !== undefined && !walk.isStopped && declared?.handlers.every(({ length }) => length < 4);
      const { entry } = walk;
      return isClear ? { found, way: { route, baseUrl, path: rest ?? path, params, place }, entry } : { found, entry };
    }
    walk.isStopped = true;
    if (fallback.found === undefined) fallback = { found };
  }
  return { ...(fallback.found === undefined && { end: walk.end }), ...fallback, entry: walk.entry };
}

/** The routes that match a path, of whatever methods, and stand before another that does. */
export function routesBefore(root: object, path: string, found: ExpressRoute): readonly ExpressRoute[] {
  const before: ExpressRoute[] = [];
  // OPTIONS leaves no method out of the candidates.
  for (const { route } of reached(root as LayeredRouter, "OPTIONS", path, start, makeWalk())) {
    if (route === found) break;
    before.push(route);
  }
  return before;
}

/** A router that a lookup looked into, and what of the path those above had left. */
export interface VisitedRouter {
  readonly router: LayeredRouter;
  readonly path: string;
}

/** What was seen on the way to a route. */
interface Walk {
  /** Whether something may do something to a request, other than what stands before the entry. */
  isStopped: boolean;
  entry: LayerPlace | undefined;
  /** What is come to where no route was. */
  end: BehindRoutes | undefined;
  readonly visited: VisitedRouter[];
}

const makeWalk = (visited: VisitedRouter[] = []): Walk => ({
  isStopped: false,
  entry: undefined,
  end: undefined,
  visited,
});

interface Reached extends Taken {
  readonly route: ExpressRoute;
  readonly place: LayerPlace;
}

/** What the routers above have taken of a path. */
interface Taken {
  readonly template: string;
  readonly params: PathParams;
  readonly baseUrl: string;
  /** What they have left of it; `undefined` for all. */
  readonly rest: string | undefined;
  /** The methods that nothing takes any more in the router at hand. */
  readonly closed: ReadonlySet<string>;
  /** Where the router at hand is mounted. */
  readonly mounted: LayerPlace | undefined;
}

const start: Taken = {
  template: "",
  params: {},
  baseUrl: "",
  rest: undefined,
  closed: new Set(),
  mounted: undefined,
};

/** Notes what a handler does to whatever comes by. */
function pass(walk: Walk, handle: unknown, place: LayerPlace): void {
  const role = roleOf(handle);
  if (role === "entry") walk.entry = place;
  if (role === "last" && walk.entry !== undefined && (handle as RequestHandler).length < 4) {
    if (!walk.isStopped && place.above === undefined) walk.end = { handle: handle as RequestHandler, place };
    walk.isStopped = true;
  }
  // What stands before the entry has run, and handlers of errors wait for some.
  else if (walk.entry !== undefined && role === undefined && (handle as RequestHandler).length < 4)
    walk.isStopped = true;
}

/** Whether Express only goes through the layers of a router, one by one, with nothing of its own to each. */
export function isPlain(router: LayeredRouter, isMounted: boolean): boolean {
  for (const _ in router.params) return false;
  return !(isMounted && (router.mergeParams || Object.hasOwn(router, "handle")));
}

/** The routes that match a path, in Express's order, through all mounted routers. */
function* reached(router: LayeredRouter, method: string, path: string, above: Taken, walk: Walk): Generator<Reached> {
  const index = layerIndexOf(router);
  walk.visited.push({ router, path });
  if (!isPlain(router, above !== start)) walk.isStopped = true;
  let { closed } = above;
  for (const position of index.candidates(path, method)) {
    const layer = router.stack[position];
    const match = layer && matchLayer(layer, path);
    if (layer === undefined || match === undefined) continue;
    const params = paramsOf(router, match, above);
    const place = { router, position, path, above: above.mounted };
    if (layer.route !== undefined) {
      const template = joinPaths(above.template, patternText(layer.route.path, path));
      yield { ...above, route: layer.route, template, params, closed, place };
      continue;
    }
    const mounted = mountedRouter(layer);
    if (mounted === undefined) {
      pass(walk, layer.handle, place);
      const more = closedMethods(layer.handle);
      if (more.size > 0 && isWhole(match, path)) closed = new Set([...closed, ...more]);
      continue;
    }
    const rest = path.slice(match.path.length);
    if (rest !== "" && !rest.startsWith("/")) continue;
    const inner = rest.startsWith("/") ? rest : `/${rest}`;
    const template = joinPaths(above.template, patternText(layerPath(layer), match.path));
    const baseUrl = above.baseUrl + (match.path.endsWith("/") ? match.path.slice(0, -1) : match.path);
    yield* reached(mounted, method, inner, { template, params, baseUrl, rest: inner, closed, mounted: place }, walk);
  }
}

/** Whether a layer took a path to its end. */
const isWhole = ({ path: taken }: LayerMatch, path: string): boolean => /^\/?$/.test(path.slice(taken.length));

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
