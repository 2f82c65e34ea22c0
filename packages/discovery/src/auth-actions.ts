import type { AuthenticationConfig, RouteTable, ServiceRouter } from "@servicekit/router";
import { type Allows, authenticationOf } from "./access.js";
import { makeDiscoveryRoute } from "./discovery-route.js";
import { authActionsDocumentation } from "./documentation.js";

/** A permission that some route requires (contract C29). */
export interface AuthAction {
  /** Such as `media-type`. */
  readonly resource: string;
  /** Such as `Create` or `Publish`. */
  readonly action: string;
  /** The rules of the routes that require it. */
  readonly name: string | null;
  readonly description: string | null;
}

/** The input of `auth-actions`. */
export interface AuthActionsOptions {
  readonly table: RouteTable;
  readonly allows: Allows;
}

/** Returns every pair of resource and action that the routes require, once, sorted by resource and action. */
export function listAuthActions({ entries }: RouteTable): readonly AuthAction[] {
  const found = new Map<string, AuthAction>();
  for (const { route } of entries) {
    if (route === undefined) continue;
    const required = (route.origin.rights ?? []).map(({ authentication }) => authentication);
    for (const access of [authenticationOf(route.config), ...required]) add(access);
  }
  return [...found.values()].sort((a, b) => compare(a.resource, b.resource) || compare(a.action, b.action));

  function add(access: AuthenticationConfig): void {
    if (typeof access !== "object") return;
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
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Creates the router of `GET /auth-actions`, for pages on which administrators assign permissions to roles. */
export function makeAuthActions({ table, allows }: AuthActionsOptions): ServiceRouter {
  let known: readonly AuthAction[] | undefined;
  const read = async (): Promise<readonly AuthAction[]> => (known ??= listAuthActions(table));
  return makeDiscoveryRoute({ name: "auth-actions", allows, read, documentation: authActionsDocumentation });
}
