import type { RouteTable, ServiceRouter } from "@servicekit/router";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { authActionsDocumentation } from "./documentation.js";

/** A right that some route asks for (contract C29). */
export interface AuthAction {
  /** Such as `media-type`. */
  readonly resource: string;
  /** Such as `Create` or `Publish`. */
  readonly action: string;
  /** What the rules of the routes that ask for it say of it. */
  readonly name: string | null;
  readonly description: string | null;
}

/** What `auth-actions` is made from. */
export interface AuthActionsOptions {
  readonly table: RouteTable;
  readonly allows: Allows;
}

/** Every pair of resource and action that the routes ask for, once, sorted by resource and action. */
export function listAuthActions({ entries }: RouteTable): readonly AuthAction[] {
  const found = new Map<string, AuthAction>();
  for (const { route } of entries) {
    const access = route === undefined ? false : authenticationOf(route.config);
    if (typeof access !== "object") continue;
    const { resource, action, rule } = access;
    const { name, description } = (Array.isArray(rule) ? {} : (rule ?? {})) as Partial<AuthAction>;
    const key = JSON.stringify([resource, action]);
    const known = found.get(key);
    found.set(key, {
      resource,
      action,
      name: known?.name ?? name ?? null,
      description: known?.description ?? description ?? null,
    });
  }
  return [...found.values()].sort((a, b) => compare(a.resource, b.resource) || compare(a.action, b.action));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Makes the router of `GET /auth-actions`, for the pages on which administrators give rights to roles. */
export function makeAuthActions({ table, allows }: AuthActionsOptions): ServiceRouter {
  let known: readonly AuthAction[] | undefined;
  const read = async (): Promise<readonly AuthAction[]> => (known ??= listAuthActions(table));
  return makeDiscoveryRoute({ name: "auth-actions", allows, read, documentation: authActionsDocumentation });
}
