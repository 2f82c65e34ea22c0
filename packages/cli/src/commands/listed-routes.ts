import { type AuthenticationConfig, type DeclaredRoute, makeRouteTable } from "@servicekit/router";
import { requiredAuthentication, toAccessRule } from "@servicekit/router/internal";
import type { InspectedService } from "./inspected-service.js";

/** The access of a route. */
export type Entrance =
  | { readonly kind: "everyone" }
  | { readonly kind: "signed in" }
  /** Roles, or a stored permission; and superusers. */
  | { readonly kind: "right"; readonly resource: string; readonly action: string; readonly roles: readonly string[] }
  /** A plain Express route, or one in a service without authentication. */
  | { readonly kind: "undeclared" };

/** A route in the output of commands. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
  readonly model: string | undefined;
  readonly operation: string | undefined;
  readonly entrance: Entrance;
  readonly hasRowRule: boolean;
  /** Further rights, which parameters of the route require. */
  readonly rights?: readonly { readonly name: string; readonly entrance: Entrance }[];
  /** The place of its declaration. */
  readonly place: string | undefined;
}

/** Every route of a service, in matching order. */
export function listRoutes({ app, config }: InspectedService): readonly ListedRoute[] {
  const isGuarded = config.authentication?.enabled === true;
  const seen = new Set<string>();
  return makeRouteTable(app.router).entries.flatMap(({ method, path, route }) => {
    const name = `${method} ${path}`;
    // `all` is used like middleware and is not listed.
    if (method === "*" || seen.has(name)) return [];
    seen.add(name);
    const { model, operation, hasRowRule = false, rights = [], place } = route?.origin ?? {};
    const required = rights.map(({ name, authentication }) => ({
      name,
      entrance: toEntrance(authentication, isGuarded),
    }));
    const listed = { method, path, model, operation, entrance: entranceOf(route, isGuarded), hasRowRule, place };
    return required.length === 0 ? listed : { ...listed, rights: required };
  });
}

function entranceOf(route: DeclaredRoute | undefined, isGuarded: boolean): Entrance {
  if (route === undefined) return { kind: "undeclared" };
  return toEntrance(requiredAuthentication(route.config.authentication), isGuarded);
}

function toEntrance(authentication: AuthenticationConfig, isGuarded: boolean): Entrance {
  if (authentication === false || !isGuarded) return { kind: "everyone" };
  if (authentication === true) return { kind: "signed in" };
  const { resource, action, rule } = authentication;
  return { kind: "right", resource, action, roles: rule === undefined ? [] : toAccessRule(rule).roles };
}

/** The access of a route in a few words. */
export function wordsOf(entrance: Entrance, mode: string | undefined): string {
  if (entrance.kind === "undeclared") return "not declared";
  if (entrance.kind !== "right") return entrance.kind;
  const { resource, action, roles } = entrance;
  if (mode === "dynamic") return `${resource}: ${action}`;
  return roles.length === 0 ? "superusers" : roles.join(", ");
}
