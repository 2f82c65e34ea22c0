import { closedMethods } from "./close-methods.js";
import type { DeclaredRoute } from "./declaration/declared-route.js";

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
  /** How many entries of `listRoutes()` stand for it: one for each pattern. */
  readonly entries: number;
  declared?: DeclaredRoute;
  place?: string;
}

/** Methods that a handler closes for the rest of its router (see `closeMethods`). */
interface ClosedNote {
  readonly pattern: RoutePattern;
  readonly methods: ReadonlySet<string>;
  /** How many entries of `listRoutes()` precede it. */
  readonly position: number;
}

/** What a `ServiceRouter` records of its own registrations. */
export interface RouterRecord {
  /** Grows with every registration. */
  version: number;
  readonly routes: RouteNote[];
  readonly closed: ClosedNote[];
}

const recordKey = Symbol.for("servicekit.ServiceRouter");

/** Starts the record of a new `ServiceRouter`. */
export function startRecord(router: object): void {
  const record: RouterRecord = { version: 0, routes: [], closed: [] };
  Object.defineProperty(router, recordKey, { value: record });
}

/** The record of a `ServiceRouter`, of any copy of this package; `undefined` for other routers. */
export function recordOf(router: object): RouterRecord | undefined {
  return (router as { readonly [recordKey]?: RouterRecord })[recordKey];
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
  const patterns = all.filter((arg) => typeof arg === "string" || arg instanceof RegExp) as RoutePattern[];
  for (const methods of all.flatMap((arg) => closedMethods(arg) ?? [])) {
    const position = listed(router).length;
    for (const pattern of patterns) record.closed.push({ pattern, methods, position });
  }
}

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
  const { routes = [], closed = [] } = recordOf(router) ?? {};
  const notes = routes.flatMap((note) => Array.from({ length: note.entries }, () => note));
  const registrations: Registration[] = [];
  let route = 0;
  const addClosed = (from: number, to: number): void => {
    for (const { pattern, methods, position } of closed) {
      if (position >= from && position < to) registrations.push({ kind: "closed", pattern, methods });
    }
  };
  const all = listed(router);
  for (const [position, { path, methods, router: mounted }] of all.entries()) {
    addClosed(position, position + 1);
    if (methods === undefined) {
      if (mounted !== undefined) registrations.push({ kind: "router", pattern: path, router: mounted });
      continue;
    }
    const { declared, place } = notes[route++] ?? {};
    registrations.push({ kind: "route", pattern: path, methods: ownMethods(methods), declared, place });
  }
  addClosed(all.length, Number.POSITIVE_INFINITY);
  return registrations;
}

/** The methods that were registered: without the HEAD that Express adds to GET, and `*` for those of `all`. */
function ownMethods(methods: readonly string[]): readonly string[] {
  // `app.all` registers every method of Node one by one.
  if (methods.includes("*") || (methods.includes("PROPFIND") && methods.includes("UNLINK"))) return ["*"];
  return methods.includes("GET") ? methods.filter((method) => method !== "HEAD") : methods;
}
