import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import { closeMethods, type MountedRouter } from "@servicekit/router/internal";
import type { RequestHandler } from "express";

/**
 * Prepares a router to be mounted before others whose routes keep the paths that they name more exactly: of `/books/:id` in the router and
 * `/books/top` in a later one, the later one gets `/books/top` (contract C54). Routes that the table cannot see, and
 * patterns with wildcards, optional parts or regular expressions, stay in the order of mounting.
 *
 * @param later the routers that the application will mount at `/` behind this one
 */
export function yieldTo(later: readonly RequestHandler[], [path, router]: MountedRouter): MountedRouter {
  const own = makeRouteTable(ServiceRouter().use(path, router));
  const others = later.length === 0 ? [] : makeRouteTable(ServiceRouter().use(...later)).entries;
  const exact = others.filter(({ method, path: wanted }) => {
    if (method === "*" || !wanted.startsWith("/") || /[*{}()[\]\\?+]/.test(wanted)) return false;
    const taken = own.find(method, wanted.replace(parameter, "~"));
    return taken !== undefined && exactSegments(taken.template) < exactSegments(wanted);
  });
  if (exact.length === 0) return [path, router];
  const front = ServiceRouter();
  for (const { method, path: wanted } of exact) {
    front.use(wanted, closeMethods(method === "GET" ? ["GET", "HEAD"] : [method]));
  }
  return ["/", front.use(path, router)];
}

const parameter = /:[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/** How many segments of a pattern are more than one parameter. */
const exactSegments = (pattern: string): number =>
  pattern.split("/").filter((segment) => segment !== "" && !/^[:*][\p{ID_Continue}$]+$/u.test(segment)).length;
