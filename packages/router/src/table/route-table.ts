import type { DeclaredRoute } from "../declaration/declared-route.js";
import type { PathParams } from "../request/request-path.js";
import {
  isCurrent,
  noteVersion,
  type ReadVersions,
  type Registration,
  type RoutePattern,
  type RouterSettings,
  recordOf,
  registrationsOf,
  settingsOf,
} from "./express-layers.js";
import { makeRouteIndex, type RouteIndex } from "./route-index.js";
import { compilePattern, type MatchPattern } from "./route-pattern.js";

/** One method and path of an application. */
export interface RouteEntry {
  /** Upper case; `*` for a route that takes every method. */
  readonly method: string;
  /** The full path, with the prefixes of its routers: `/api/users/:id`. */
  readonly path: string;
  /** The declaration; `undefined` for plain Express routes. */
  readonly route?: DeclaredRoute;
  /** The index in Express's order. */
  readonly position: number;
}

/** The result of a lookup. */
export interface FoundRoute {
  readonly template: string;
  readonly route?: DeclaredRoute;
  /** The path parameters of this route. */
  readonly params: PathParams;
}

/**
 * All routes below a router. The table is made when it is first used, and again when something is added to one of its
 * `ServiceRouter`s. Later additions to plain Express routers, and the routes of mounted Express applications, are not in it.
 */
export interface RouteTable {
  /** In Express's matching order. */
  readonly entries: readonly RouteEntry[];
  /**
   * The first route that Express would reach. A route of `all` counts only if no other follows, because such routes are
   * used like middleware.
   */
  find(method: string, path: string): FoundRoute | undefined;
  /** The methods of a path, sorted, with HEAD if there is GET; `*` for every method; empty for an unknown path. */
  methodsAt(path: string): readonly string[];
}

/** Creates the table of all routes below a router. */
export function makeRouteTable(router: object): RouteTable {
  let known: Routes | undefined;
  const routes = (): Routes => {
    if (known === undefined || !isCurrent(known.read)) known = readRoutes(router);
    return known;
  };
  return Object.freeze({
    get entries() {
      return routes().listed.map(({ entry }) => entry);
    },
    find: (method: string, path: string) => findRoute(routes(), method.toUpperCase(), path),
    methodsAt: (path: string) => {
      const methods = new Set<string>();
      for (const { item, closed } of reached(routes(), path)) {
        for (const method of item.methods) if (!isClosed(method, closed)) methods.add(method);
      }
      if (methods.has("GET")) methods.add("HEAD");
      return [...methods].sort();
    },
  });
}

function findRoute(routes: Routes, method: string, path: string): FoundRoute | undefined {
  let fallback: FoundRoute | undefined;
  for (const { item, params, closed } of reached(routes, path, method)) {
    if (isClosed(method, closed)) continue;
    const { template, route } = item;
    const found = route === undefined ? { template, params } : { template, route, params };
    if (!item.methods.has("*")) return found;
    fallback ??= found;
  }
  return fallback;
}

/** A route that matches a path. */
interface Reached {
  readonly item: Item;
  readonly params: PathParams;
  /** What closes methods before it. */
  readonly closed: readonly ClosedMethods[];
}

interface ClosedMethods {
  readonly methods: ReadonlySet<string>;
  readonly end: number;
}

/**
 * The routes that match a path, in Express's order.
 *
 * @param method leaves out the routes that do not take it
 */
function* reached({ items, index }: Routes, path: string, method?: string): Generator<Reached> {
  let closed: readonly ClosedMethods[] = [];
  for (const position of index.candidates(path)) {
    const item = items[position] as Item;
    const { isRoute, methods } = item;
    if (isRoute && method !== undefined && !takesMethod(methods, method)) continue;
    const params = matchSteps(item.steps, path);
    if (params === undefined) continue;
    closed = closed.filter(({ end }) => position < end);
    if (isRoute) yield { item, params, closed };
    else closed = [...closed, { methods, end: item.end ?? position }];
  }
}

/** Whether a route takes a method, HEAD through GET included (RFC 9110, section 9.3.2). */
const takesMethod = (methods: ReadonlySet<string>, method: string): boolean =>
  methods.has(method) || methods.has("*") || (method === "HEAD" && methods.has("GET"));

const isClosed = (method: string, closed: readonly ClosedMethods[]): boolean =>
  closed.some(({ methods }) => methods.has(method));

/** The parameters of a path for a route: those of the routers above only where its router was made with `mergeParams`. */
function matchSteps(steps: readonly Step[], path: string): PathParams | undefined {
  let params: PathParams = {};
  let rest = path;
  for (const [at, { match, mergeParams }] of steps.entries()) {
    const found = match(rest);
    if (found === undefined) return undefined;
    params = mergeParams ? { ...params, ...found.params } : found.params;
    if (at === steps.length - 1) break;
    if (!rest.startsWith(found.path)) return undefined;
    rest = rest.slice(found.path.length) || "/";
    if (!rest.startsWith("/")) return undefined;
  }
  return params;
}

/** An entry, and its path with everything taken out that makes no difference to a match. */
export interface ListedRoute {
  readonly entry: RouteEntry;
  readonly shape: string;
  /** Where a plain route of a mounted `ServiceRouter` was written. */
  readonly plainPlace?: string;
}

/** Every route below a router, in Express's order. */
export const listRoutes = (router: object): readonly ListedRoute[] => readRoutes(router).listed;

/** All routes below a router as they were at one time. */
interface Routes {
  readonly listed: readonly ListedRoute[];
  readonly items: readonly Item[];
  readonly index: RouteIndex;
  /** The records of the `ServiceRouter`s that were read, with their versions then. */
  readonly read: ReadVersions;
}

/** A route, or a handler that closes methods, with the patterns that lead to it. */
interface Item {
  readonly steps: readonly Step[];
  readonly template: string;
  /** In upper case. */
  readonly methods: ReadonlySet<string>;
  readonly route: DeclaredRoute | undefined;
  readonly isRoute: boolean;
  /** The position behind the router of a handler that closes methods: it closes them up to there. */
  end: number | undefined;
}

/** One pattern on the way to a route. */
interface Step {
  readonly match: MatchPattern;
  readonly mergeParams: boolean;
}

/** What the routers above have added. */
interface Above {
  readonly routers: readonly object[];
  readonly patterns: readonly RoutePattern[];
  readonly steps: readonly Step[];
  readonly path: string;
  readonly shape: string;
}

function readRoutes(root: object): Routes {
  const listed: ListedRoute[] = [];
  const items: Item[] = [];
  const index = makeRouteIndex();
  const read: ReadVersions = new Map();

  const addRouter = (router: object, above: Above): void => {
    noteVersion(read, router);
    const settings = settingsOf(router);
    const first = items.length;
    for (const registration of registrationsOf(router)) add(router, settings, registration, above);
    for (const item of items.slice(first)) item.end ??= items.length;
  };

  const add = (router: object, settings: RouterSettings, registration: Registration, above: Above): void => {
    const { kind, pattern } = registration;
    if (kind === "handler") return;
    const isRoute = kind === "route";
    const path = joinPaths(above.path, String(pattern));
    const shape = joinPaths(above.shape, shapeOf(pattern, settings, isRoute));
    const patterns = [...above.patterns, pattern];
    const { mergeParams = false } = settings;
    const compared = isRoute ? settings : { ...settings, strict: false };
    const steps = [...above.steps, { match: compilePattern(pattern, compared, kind !== "router"), mergeParams }];
    if (kind === "router") {
      const routers = [...above.routers, router];
      // A router mounted inside itself would recurse forever.
      if (routers.includes(registration.router)) return;
      addRouter(registration.router, { routers, patterns, steps, path, shape });
      return;
    }
    index.add(patterns, items.length);
    const route = isRoute ? registration.declared : undefined;
    items.push({ steps, template: path, methods: new Set(registration.methods), route, isRoute, end: undefined });
    if (!isRoute) return;
    const isPlain = route === undefined && above.routers.length > 0 && recordOf(router) !== undefined;
    const place = isPlain ? { plainPlace: registration.place ?? "an unknown place" } : {};
    for (const method of registration.methods) {
      const entry = { method, path, position: listed.length, ...(route === undefined ? {} : { route }) };
      listed.push({ entry, shape: `${method} ${shape}`, ...place });
    }
  };

  addRouter(root, { routers: [], patterns: [], steps: [], path: "", shape: "" });
  return { listed, items, index, read };
}
/** Parameter names are ignored; letter case and a trailing slash matter only if the router distinguishes them. */
function shapeOf(pattern: RoutePattern, { caseSensitive, strict }: RouterSettings, isRoute: boolean): string {
  if (typeof pattern !== "string") return String(pattern);
  const nameless = pattern.replace(/([:*])[\p{ID_Continue}$]+/gu, "$1");
  const cased = caseSensitive ? nameless : nameless.toLowerCase();
  return isRoute && strict ? cased : cased.replace(/(?<=.)\/+$/, "");
}

/** `/api` and `/users` are `/api/users`; `/` adds nothing. */
function joinPaths(prefix: string, path: string): string {
  if (path === "/" || path === "") return prefix === "" ? "/" : prefix;
  const start = prefix === "/" ? "" : prefix.replace(/\/+$/, "");
  return `${start}${path}`;
}
