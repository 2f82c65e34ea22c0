import type { StartupIssue } from "@servicekit/core";
import { checkRouteConfig } from "../declaration/check-route-config.js";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { isRouter } from "../table/express-layers.js";
import { type ListedRoute, listRoutes } from "../table/route-table.js";
import { makeDefaultSteps } from "./standalone-steps.js";

/** Keys that are used without a step. */
const readElsewhere = ["path", "disabled", "mcp", "experimental.openapi"];

/** The issues of all declared routes below a router, to be reported together at startup. */
export function routeIssues(
  router: object,
  steps: readonly RouteStep[],
  servedElsewhere: readonly string[] = [],
): readonly StartupIssue[] {
  const served = servedKeys(steps, servedElsewhere);
  const listed = listRoutes(router);
  const routes = new Set(listed.flatMap(({ entry }) => entry.route ?? []));
  const issues = [...routes].flatMap((route) => checkDeclaration(route, steps, served));
  for (const { entry, plainPlace } of listed) {
    // A route of all methods is used like middleware.
    if (plainPlace === undefined || entry.method === "*") continue;
    const where = `${entry.method} ${entry.path} (${plainPlace})`;
    for (const step of steps) issues.push(...(step.checkPlain?.(where) ?? []));
  }
  return [...issues, ...duplicates(listed)];
}

/** The issues of one declared route. */
export function issuesOfRoute(
  route: DeclaredRoute,
  steps: readonly RouteStep[],
  servedElsewhere: readonly string[] = [],
): readonly StartupIssue[] {
  return checkDeclaration(route, steps, servedKeys(steps, servedElsewhere));
}

/** The error of a request for a route with an invalid declaration that was not found at startup. */
export function routeError(issues: readonly StartupIssue[]): Error {
  const lines = issues.map(({ where, message }) => `${where}: ${message}`);
  return new Error(
    `The request was rejected because the declaration of its route cannot be applied. ${lines.join(" ")}`,
  );
}

const servedKeys = (steps: readonly RouteStep[], servedElsewhere: readonly string[]): ReadonlySet<string> =>
  new Set([...readElsewhere, ...servedElsewhere, ...steps.map(({ key }) => key)]);

function checkDeclaration(
  route: DeclaredRoute,
  steps: readonly RouteStep[],
  served: ReadonlySet<string>,
): readonly StartupIssue[] {
  const own = checkRouteConfig(route, served);
  // Steps need not handle a declaration that is already invalid.
  if (own.length > 0) return own;
  return steps.flatMap((step) => step.check?.(declaredValue(route.config, step.key), route) ?? []);
}

/**
 * The issues of the declarations below a router, independent of steps: for a startup that fails already, and still
 * reports all issues.
 */
export function declarationIssues(router: object): readonly StartupIssue[] {
  if (!isRouter(router)) return [];
  const served = new Set([
    ...readElsewhere,
    ...makeDefaultSteps().map(({ key }) => key),
    "authentication",
    "idempotency",
    "experimental.uploads",
  ]);
  return [...new Set(listRoutes(router).flatMap(({ entry }) => entry.route ?? []))].flatMap((route) =>
    checkRouteConfig(route, served),
  );
}

/** Declared routes with equal method and path (contract C54). */
function duplicates(listed: readonly ListedRoute[]): StartupIssue[] {
  const first = new Map<string, DeclaredRoute>();
  return listed.flatMap(({ entry: { method, path, route }, shape }) => {
    if (route === undefined) return [];
    const other = first.get(shape);
    if (other === undefined) {
      first.set(shape, route);
      return [];
    }
    const message = `The same method and path are declared in ${other.origin.place} as ${other.method} ${other.path}.${generatedHint(other)}`;
    return [{ where: `${method} ${path} (${route.origin.place})`, message }];
  });
}

const generatedHint = ({ origin: { model, operation } }: DeclaredRoute): string =>
  model === undefined || operation === undefined
    ? ""
    : ` Choose another path, or disable the operation ${operation} of the model ${model}.`;
