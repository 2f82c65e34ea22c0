import type { BoundRoutes, DeclaredRoute, DocumentedError, RouteTable } from "@servicekit/router";
import { makeRefusal, pathOf, type RefusalOptions, type RequestTarget } from "./refuse-overload.js";
import { type LoadShedding, type LoadSheddingOptions, shedLoad } from "./shed-load.js";

/** What load shedding works with. */
export interface LoadSheddingContext extends RefusalOptions {
  /** All routes of the application. */
  readonly table: RouteTable;
  /** The pool of the database; left out where nobody knows of one. */
  readonly pool: LoadSheddingOptions["pool"] | undefined;
  readonly countRefusal?: LoadSheddingOptions["countRefusal"];
  readonly onRefusals: (count: number) => void;
}

/** Where nobody knows of a pool: as many connections as one has by default. */
const unknownPool = { size: 10, waiting: 0 };

/** Load shedding before the declared routes of an application (contract C70); `undefined` without settings. */
export function openLoadShedding(
  settings: { readonly maxWait: number } | undefined,
  { table, pool = () => unknownPool, countRefusal, onRefusals, cors }: LoadSheddingContext,
): LoadShedding | undefined {
  if (settings === undefined) return undefined;
  return shedLoad({
    ...settings,
    pool,
    isAlwaysServed: alwaysServed(table),
    refuse: makeRefusal({ cors }),
    countRefusal,
    onRefusals,
  });
}

/** What is let in whatever there is to do: probes, the figures, and signing in. */
const isVital = ({ origin: { resource, operation } }: DeclaredRoute): boolean =>
  resource === "health" || resource === "metrics" || (resource === "auth" && operation === "login");

function alwaysServed(table: RouteTable): (request: RequestTarget) => boolean {
  let vital: ReadonlySet<string> | undefined;
  return (request) => {
    // Routes may be added until there are requests.
    vital ??= new Set(
      table.entries.flatMap(({ method, path, route }) => (route && isVital(route) ? [`${method} ${path}`] : [])),
    );
    const method = request.method === "HEAD" ? "GET" : request.method;
    return vital.has(`${method} ${pathOf(request)}`);
  };
}

const error: DocumentedError = {
  status: 503,
  code: "Overloaded",
  description: "The service has more to do than it can; `Retry-After` says when to try again.",
};

/** The errors of a route for its documentation, that of load shedding too where it is on. */
export function withOverload(
  errorsOf: BoundRoutes["errorsOf"],
  shedding: LoadShedding | undefined,
): BoundRoutes["errorsOf"] {
  if (shedding === undefined) return errorsOf;
  return (route) => (isVital(route) ? errorsOf(route) : [...errorsOf(route), error]);
}
