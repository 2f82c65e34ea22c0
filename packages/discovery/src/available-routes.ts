import type { AuthenticationConfig, DeclaredRoute, RouteEntry, RouteTable, ServiceRouter } from "@servicekit/router";
import type { Request } from "express";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { availableRoutesDocumentation } from "./documentation.js";

/** A route in `GET /api/available-routes` (contract C46). */
export interface AvailableRoute {
  readonly method: string;
  /** In Express's syntax, such as `/api/posts/:id`. */
  readonly path: string;
  /** Its resource, such as `post`; null if its declaration has none. */
  readonly resource: string | null;
  /** Its action, such as `createOne` or `Publish`; null if its declaration has none. */
  readonly operation: string | null;
  /** `true` for any signed-in user, an object for the required permission, null for a plain Express route. */
  readonly authentication: boolean | { readonly resource: string; readonly action: string } | null;
  readonly description: string | null;
  /** Present if requests with an `Idempotency-Key` are executed once (contract C49). */
  readonly idempotency?: true;
  /** Whether the caller may use it; only with authentication. */
  readonly allowed?: boolean;
}

/** The input of `available-routes`. */
export interface AvailableRoutesOptions {
  readonly table: RouteTable;
  readonly allows?: Allows | undefined;
  /** Whether requests of a route are executed once with an idempotency key. */
  readonly takesKey?: ((route: DeclaredRoute) => boolean) | undefined;
}

/** Creates the router of `GET /available-routes`: every route of the application, in matching order. */
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
    // `all` is used like middleware and is not listed.
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
