import type { StartFault } from "@servicekit/core";
import { checkRouteConfig } from "../declaration/check-route-config.js";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import type { RouteStep } from "../pipeline/route-step.js";
import { isRouter } from "../table/express-layers.js";
import { type ListedRoute, listRoutes } from "../table/route-table.js";
import { makeDefaultSteps } from "./standalone-steps.js";

/** Keys that are read by others than steps. */
const readElsewhere = ["path", "disabled", "mcp", "experimental.openapi"];

/** The faults of all declared routes below a router, for a start that tells them all at once. */
export function routeFaults(
  router: object,
  steps: readonly RouteStep[],
  servedElsewhere: readonly string[] = [],
): readonly StartFault[] {
  const served = servedKeys(steps, servedElsewhere);
  const listed = listRoutes(router);
  const routes = new Set(listed.flatMap(({ entry }) => entry.route ?? []));
  const faults = [...routes].flatMap((route) => checkDeclaration(route, steps, served));
  for (const { entry, plainPlace } of listed) {
    // A route of all methods is used like middleware.
    if (plainPlace === undefined || entry.method === "*") continue;
    const where = `${entry.method} ${entry.path} (${plainPlace})`;
    for (const step of steps) faults.push(...(step.checkPlain?.(where) ?? []));
  }
  return [...faults, ...duplicates(listed)];
}

/** The faults of one declared route. */
export function faultsOfRoute(
  route: DeclaredRoute,
  steps: readonly RouteStep[],
  servedElsewhere: readonly string[] = [],
): readonly StartFault[] {
  return checkDeclaration(route, steps, servedKeys(steps, servedElsewhere));
}

/** The error of a request for a route whose declaration cannot be applied, as it was not found at the start. */
export function routeError(faults: readonly StartFault[]): Error {
  const lines = faults.map(({ where, message }) => `${where}: ${message}`);
  return new Error(
    `The request was refused, because the declaration of its route cannot be applied. ${lines.join(" ")}`,
  );
}

const servedKeys = (steps: readonly RouteStep[], servedElsewhere: readonly string[]): ReadonlySet<string> =>
  new Set([...readElsewhere, ...servedElsewhere, ...steps.map(({ key }) => key)]);

function checkDeclaration(
  route: DeclaredRoute,
  steps: readonly RouteStep[],
  served: ReadonlySet<string>,
): readonly StartFault[] {
  const own = checkRouteConfig(route, served);
  // A step need not defend itself against a declaration that is already found wrong.
  if (own.length > 0) return own;
  return steps.flatMap((step) => step.check?.(declaredValue(route.config, step.key), route) ?? []);
}

/**
 * What is wrong with the declarations below a router on their own, whoever will serve their keys: for a start that fails
 * already, and yet tells all that is wrong.
 */
export function declarationFaults(router: object): readonly StartFault[] {
  if (!isRouter(router)) return [];
  const served = new Set([
    ...readElsewhere,
    ...makeDefaultSteps().map(({ key }) => key),
    "authentication",
    "experimental.uploads",
  ]);
  return [...new Set(listRoutes(router).flatMap(({ entry }) => entry.route ?? []))].flatMap((route) =>
    checkRouteConfig(route, served),
  );
}

/** Declared routes of one method and path shape (contract C54). */
function duplicates(listed: readonly ListedRoute[]): StartFault[] {
  const first = new Map<string, DeclaredRoute>();
  return listed.flatMap(({ entry: { method, path, route }, shape }) => {
    if (route === undefined) return [];
    const other = first.get(shape);
    if (other === undefined) {
      first.set(shape, route);
      return [];
    }
    const message = `The same method and path are declared in ${other.origin.place} as ${other.method} ${other.path}.`;
    return [{ where: `${method} ${path} (${route.origin.place})`, message }];
  });
}
