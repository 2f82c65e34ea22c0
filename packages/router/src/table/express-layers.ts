import type { DeclaredRoute } from "../declaration/declared-route.js";
import { closedMethods } from "./close-methods.js";

/**
 * The one place that reads what is registered on Express routers. It uses `listRoutes()` of Express's router (2.3 and later), and the
 * registrations that each `ServiceRouter` records itself. It reads when the route table is made, never during a request.
 */

/** A pattern as `use`, `route` and the verbs take it. */
export type RoutePattern = string | RegExp;

/** How a router compares paths, as given to its constructor. */
export interface RouterSettings {
  readonly caseSensitive?: boolean;
  readonly mergeParams?: boolean;
  readonly strict?: boolean;
}

/** One registration of a router, in the order of registration. */
export type Registration = {
  readonly pattern: RoutePattern;
} & (
  | {
      readonly kind: "route";
      /** In upper case; `["*"]` for `all`. */
      readonly methods: readonly string[];
      readonly declared: DeclaredRoute | undefined;
      /** Where a plain route of a `ServiceRouter` was written. */
      readonly place: string | undefined;
    }
  | { readonly kind: "router"; readonly router: object }
  | { readonly kind: "closed"; readonly methods: ReadonlySet<string> }
  /** Another handler of a `ServiceRouter`. */
  | { readonly kind: "handler"; readonly handler: unknown }
);

/** What `listRoutes()` returns. */
interface Listed {
  readonly path: RoutePattern;
  /** `undefined` for mounted routers. */
  readonly methods: readonly string[] | undefined;
  readonly router: object | undefined;
}

/** A route of a `ServiceRouter`, in the order of registration. */
interface RouteNote {
  /** The number of its entries in `listRoutes()`: one for each pattern. */
  readonly entries: number;
  declared?: DeclaredRoute;
  place?: string;
}

/** A handler given to `use` of a `ServiceRouter`, which `listRoutes()` does not return. */
interface HandlerNote {
  /** How many entries of `listRoutes()` precede it. */
  readonly position: number;
  readonly registrations: readonly Registration[];
}

/** What a `ServiceRouter` records of its own registrations. */
export interface RouterRecord {
  /** Grows with every registration. */
  version: number;
  readonly routes: RouteNote[];
  readonly handlers: HandlerNote[];
}

const recordKey = Symbol.for("servicekit.ServiceRouter");

/** Starts the record of a new `ServiceRouter`. */
export function startRecord(router: object): void {
  const record: RouterRecord = { version: 0, routes: [], handlers: [] };
  Object.defineProperty(router, recordKey, { value: record });
}

/** The record of a `ServiceRouter`, of any copy of this package; `undefined` for other routers. */
export function recordOf(router: object): RouterRecord | undefined {
  return (router as { readonly [recordKey]?: RouterRecord })[recordKey];
}

/** The records of the `ServiceRouter`s that were read, with their versions then. */
export type ReadVersions = Map<RouterRecord, number>;

/** Notes the version of a router that is read, if it is a `ServiceRouter`. */
export function noteVersion(read: ReadVersions, router: object): void {
  const record = recordOf(router);
  if (record !== undefined) read.set(record, record.version);
}

/** Whether nothing was added to the routers since they were read. */
export function isCurrent(read: ReadVersions): boolean {
  for (const [record, version] of read) if (record.version !== version) return false;
  return true;
}

/** Records a route that was added to a `ServiceRouter`. */
export function recordRoute(router: object, pattern: unknown): void {
  const record = recordOf(router);
  if (record === undefined) return;
  record.version++;
  record.routes.push({ entries: [pattern].flat(Number.POSITIVE_INFINITY).length });
}

/** Records what is given to `use` of a `ServiceRouter`, before Express has it. */
export function recordUse(router: object, args: readonly unknown[]): void {
  const record = recordOf(router);
  if (record === undefined) return;
  record.version++;
  const all = args.flat(Number.POSITIVE_INFINITY);
  const given = all.filter((arg) => typeof arg === "string" || arg instanceof RegExp) as RoutePattern[];
  const patterns = given.length === 0 ? ["/"] : given;
  const handlers = all.filter((arg) => typeof arg === "function" && !isRouter(arg));
  const registrations = handlers.flatMap((handler) => patterns.flatMap((pattern) => readHandler(pattern, handler)));
  if (registrations.length > 0) record.handlers.push({ position: listed(router).length, registrations });
}

/** What a mounted handler is to the route table. */
function readHandler(pattern: RoutePattern, handler: unknown): readonly Registration[] {
  const methods = closedMethods(handler);
  if (methods !== undefined) return [{ kind: "closed", pattern, methods }];
  const joined = joinedRouters(handler);
  return joined?.map((router) => ({ kind: "router", pattern, router })) ?? [{ kind: "handler", pattern, handler }];
}

const joinedKey = Symbol.for("servicekit.joinedRouters");

/** Marks a handler that calls routers, so that the route table contains their routes. */
export function markJoined<Handler extends object>(handler: Handler, routers: readonly object[]): Handler {
  return Object.defineProperty(handler, joinedKey, { value: routers });
}

const joinedRouters = (handler: unknown): readonly object[] | undefined =>
  (handler as { readonly [joinedKey]?: readonly object[] })[joinedKey];

/** Notes on the last route of a `ServiceRouter` that it was declared. */
export function noteDeclared(router: object, declared: DeclaredRoute): void {
  const note = recordOf(router)?.routes.at(-1);
  if (note !== undefined) note.declared = declared;
}

/** Notes where the last route of a `ServiceRouter` was written. */
export function notePlace(router: object, place: string): void {
  const note = recordOf(router)?.routes.at(-1);
  if (note !== undefined) note.place = place;
}

/** Whether a value is an Express router. */
export function isRouter(value: unknown): value is object {
  return typeof value === "function" && typeof (value as { readonly listRoutes?: unknown }).listRoutes === "function";
}

function listed(router: object): readonly Listed[] {
  const { listRoutes } = router as { readonly listRoutes?: () => readonly Listed[] };
  if (typeof listRoutes !== "function") {
    throw new TypeError(
      "The Express router has no listRoutes(). Update the package router to 2.3 or later: npm update router.",
    );
  }
  return listRoutes.call(router);
}

/** The settings of a router. */
export function settingsOf(router: object): RouterSettings {
  const { caseSensitive, mergeParams, strict } = router as RouterSettings;
  return { caseSensitive: caseSensitive === true, mergeParams: mergeParams === true, strict: strict === true };
}

/** Everything that is registered on a router, in the order in which Express tries it. */
export function registrationsOf(router: object): readonly Registration[] {
  const { routes = [], handlers = [] } = recordOf(router) ?? {};
  const notes = routes.flatMap((note) => Array.from({ length: note.entries }, () => note));
  const registrations: Registration[] = [];
  let route = 0;
  let handler = 0;
  const addHandlers = (position: number): void => {
    for (let note = handlers[handler]; note !== undefined && note.position <= position; note = handlers[++handler]) {
      registrations.push(...note.registrations);
    }
  };
  const all = listed(router);
  for (const [position, { path, methods, router: mounted }] of all.entries()) {
    addHandlers(position);
    if (methods === undefined) {
      if (mounted !== undefined) registrations.push({ kind: "router", pattern: path, router: mounted });
      continue;
    }
    const { declared, place } = notes[route++] ?? {};
    registrations.push({ kind: "route", pattern: path, methods: ownMethods(methods), declared, place });
  }
  addHandlers(Number.POSITIVE_INFINITY);
  return registrations;
}

/** The methods that were registered: without the HEAD that Express adds to GET, and `*` for those of `all`. */
function ownMethods(methods: readonly string[]): readonly string[] {
  // `app.all` registers every method of Node one by one.
  if (methods.includes("*") || (methods.includes("PROPFIND") && methods.includes("UNLINK"))) return ["*"];
  return methods.includes("GET") ? methods.filter((method) => method !== "HEAD") : methods;
}
