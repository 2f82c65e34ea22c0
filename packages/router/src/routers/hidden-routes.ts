import type { StartupIssue } from "@servicekit/core";
import { isObject } from "@servicekit/core/internal";
import { routeName } from "../declaration/check-route-config.js";
import { type DeclaredRoute, declaredValue } from "../declaration/declared-route.js";
import { isRouter, recordOf, registrationsOf } from "../table/express-layers.js";
import { listRoutes } from "../table/route-table.js";

/**
 * The issues of declared routes whose `bodyParser` cannot apply, because they are in an `express()` application or in an
 * object with a router: the route table does not contain them, so the body is read before their routes are found
 * (docs/decisions/0010-unmounted-routers.md).
 *
 * @param value what is mounted behind the global steps: a router, a handler, an application or an object
 */
export function hiddenBodyParserIssues(value: unknown): readonly StartupIssue[] {
  const issues = new Map<DeclaredRoute, StartupIssue>();
  const walk = (mounted: unknown, parents: readonly unknown[]): void => {
    if (parents.includes(mounted)) return;
    if (isRouter(mounted)) {
      const registrations = recordOf(mounted) === undefined ? [] : registrationsOf(mounted);
      for (const registration of registrations) {
        if (registration.kind === "router") walk(registration.router, [...parents, mounted]);
        else if (registration.kind === "handler") walk(registration.handler, [...parents, mounted]);
      }
      return;
    }
    const [container, routers] = routersIn(mounted);
    for (const router of routers) {
      for (const { entry } of listRoutes(router))
        for (const issue of entry.route === undefined ? [] : unboundBodyParser(entry.route, container))
          issues.set(entry.route as DeclaredRoute, issue);
      walk(router, [...parents, mounted]);
    }
  };
  walk(value, []);
  return [...issues.values()];
}

/** The issue of a declared route with a `bodyParser`, if the route table does not contain it. */
export function unboundBodyParser(route: DeclaredRoute, container: string): readonly StartupIssue[] {
  if (declaredValue(route.config, "bodyParser") === undefined) return [];
  const message = `bodyParser cannot apply inside ${container}, because the body is read before the route is found. Pass the router itself, or mount it in another router.`;
  return [{ where: routeName(route), message }];
}

/** Whether a value is an object that may call a router which is not among its properties. */
export const mayHideRouters = (value: unknown): boolean => isObject(value) && routersIn(value)[1].length === 0;

/** The routers inside a value that is not a router, and what the value is. */
function routersIn(value: unknown): readonly [container: string, routers: readonly object[]] {
  if (isApplication(value)) return ["an express() application", [value.router]];
  if (!isObject(value)) return ["", []];
  const inner = Object.values(value).flatMap((one) => (isApplication(one) ? [one.router] : isRouter(one) ? [one] : []));
  return ["an object with a handle", inner];
}

const isApplication = (value: unknown): value is { readonly router: object } =>
  typeof value === "function" && "settings" in value && "router" in value && isRouter(value.router);
