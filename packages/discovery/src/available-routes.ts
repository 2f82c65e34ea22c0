import type { AuthenticationConfig, DeclaredRoute, RouteEntry, RouteTable, ServiceRouter } from "@servicekit/router";
import type { Request } from "express";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { availableRoutesDocumentation } from "./documentation.js";

/** A route as `GET /api/available-routes` tells it (contract C46). */
export interface AvailableRoute {
  readonly method: string;
  /** In Express's syntax, such as `/api/posts/:id`. */
  readonly path: string;
  /** What it acts on, such as `post`; null when its declaration does not say. */
  readonly resource: string | null;
  /** What it does, such as `createOne` or `Publish`; null when its declaration does not say. */
  readonly operation: string | null;
  /** `true` for any signed-in user, an object for the right that it asks for, null for a plain Express route. */
  readonly authentication: boolean | { readonly resource: string; readonly action: string } | null;
  readonly description: string | null;
  /** There where a request with an `Idempotency-Key` is carried out once (contract C49). */
  readonly idempotency?: true;
  /** Whether the caller may use it; only where authentication is on. */
  readonly allowed?: boolean;
}

/** What `available-routes` is made from. */
export interface AvailableRoutesOptions {
  readonly table: RouteTable;
  readonly allows?: Allows | undefined;
  /** Whether requests of a route are carried out once, where they say so. */
  readonly takesKey?: ((route: DeclaredRoute) => boolean) | undefined;
}

/** Makes the router of `GET /available-routes`: every route of the application, in the order in which they are tried. */
export function makeAvailableRoutes({ table, allows, takesKey }: AvailableRoutesOptions): ServiceRouter {
  let known: readonly (readonly [AvailableRoute, AuthenticationConfig])[] | undefined;
  const read = async (request: Request): Promise<readonly AvailableRoute[]> => {
    known ??= listRoutes(table, takesKey);
    return Promise.all(
      known.map(async ([route, authentication]) =>
        allows === undefined ? route : { ...route, allowed: await allows(request, authentication) },
      ),
    );
  };
  return makeDiscoveryRoute({ name: "available-routes", allows, read, documentation: availableRoutesDocumentation });
}

function listRoutes(
  { entries }: RouteTable,
  takesKey: AvailableRoutesOptions["takesKey"],
): (readonly [AvailableRoute, AuthenticationConfig])[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const name = `${entry.method} ${entry.path}`;
    // `all` is used like middleware: it is no route of its own.
    if (entry.method === "*" || seen.has(name)) return [];
    seen.add(name);
    const { route } = entry;
    const available = toAvailableRoute(entry);
    const keyed = route !== undefined && takesKey?.(route) === true ? { idempotency: true as const } : {};
    return [[{ ...available, ...keyed }, route === undefined ? false : authenticationOf(route.config)]];
  });
}

function toAvailableRoute({ method, path, route }: RouteEntry): AvailableRoute {
  const authentication = route === undefined ? null : authenticationOf(route.config);
  const access = typeof authentication === "object" ? authentication : null;
  const documented = route?.config.experimental?.openapi || {};
  return {
    method,
    path,
    resource: access?.resource ?? route?.origin.resource ?? null,
    operation: route?.origin.operation ?? access?.action ?? null,
    authentication: access === null ? authentication : { resource: access.resource, action: access.action },
    description: documented.summary ?? documented.description ?? route?.origin.documentation?.().summary ?? null,
  };
}
