import type { IncomingMessage } from "node:http";
import type { BoundRoutes, DeclaredRoute, DocumentedError, RouteTable } from "@servicekit/router";
import { acceptsEvents } from "@servicekit/router/internal";
import { makeRejection, pathOf, type RejectionOptions, type RequestTarget } from "./reject-overload.js";
import { type LoadShedding, type LoadSheddingOptions, shedLoad } from "./shed-load.js";

/** The dependencies of load shedding. */
export interface LoadSheddingContext extends RejectionOptions {
  /** All routes of the application. */
  readonly table: RouteTable;
  /** The database pool; absent if unknown. */
  readonly pool: LoadSheddingOptions["pool"] | undefined;
  readonly countRejection?: LoadSheddingOptions["countRejection"];
  readonly onRejections: (count: number) => void;
}

/** For an unknown pool: the default number of connections. */
const unknownPool = { size: 10, waiting: 0 };

/** Load shedding before the declared routes of an application (contract C70); `undefined` without settings. */
export function openLoadShedding(
  settings: { readonly maxWait: number } | undefined,
  { table, pool = () => unknownPool, countRejection, onRejections, cors }: LoadSheddingContext,
): LoadShedding | undefined {
  if (settings === undefined) return undefined;
  return shedLoad({
    ...settings,
    pool,
    isAlwaysServed: alwaysServed(table),
    reject: makeRejection({ cors, reconnects: reconnectsOf(table) }),
    countRejection,
    onRejections,
  });
}

/** The requests that are always accepted: probes, metrics and sign-in. */
const isVital = ({ origin: { resource, operation } }: DeclaredRoute): boolean =>
  resource === "health" || resource === "metrics" || (resource === "auth" && operation === "login");

function alwaysServed(table: RouteTable): (request: RequestTarget) => boolean {
  let vital: ReadonlySet<string> | undefined;
  return (request) => {
    // Routes may be added until the first request.
    vital ??= new Set(
      table.entries.flatMap(({ method, path, route }) => (route && isVital(route) ? [`${method} ${path}`] : [])),
    );
    const method = request.method === "HEAD" ? "GET" : request.method;
    return vital.has(`${method} ${pathOf(request)}`);
  };
}

/** Whether a request comes from a client that connects again to a stream of events. */
function reconnectsOf(table: RouteTable): (request: IncomingMessage) => boolean {
  let byPath: ReadonlyMap<string, DeclaredRoute> | undefined;
  return (request) => {
    byPath ??= new Map(
      table.entries.flatMap(({ path, route }) => (route?.origin.reconnects === undefined ? [] : [[path, route]])),
    );
    return acceptsEvents(request) && byPath.get(pathOf(request))?.origin.reconnects?.(request) === true;
  };
}

const error: DocumentedError = {
  status: 503,
  code: "Overloaded",
  description: "The service is overloaded. Retry after the time in `Retry-After`.",
};

/** The errors of a route for its documentation, including that of load shedding if it is on. */
export function withOverload(
  errorsOf: BoundRoutes["errorsOf"],
  shedding: LoadShedding | undefined,
): BoundRoutes["errorsOf"] {
  if (shedding === undefined) return errorsOf;
  return (route) => (isVital(route) ? errorsOf(route) : [...errorsOf(route), error]);
}
