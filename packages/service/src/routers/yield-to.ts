import { makeRouteTable, ServiceRouter } from "@servicekit/router";
import { closeMethods, type MountedRouter } from "@servicekit/router/internal";
import type { RequestHandler } from "express";

/**
 * Mounts a router so that more specific paths of later routers take precedence: with `/books/:id` in the router and
 * `/books/top` in a later one, the later one handles `/books/top` (contract C54). Routes that the table does not contain, and
 * patterns with wildcards, optional parts or regular expressions, are matched in mounting order.
 *
 * @param later the routers that the application mounts at `/` after this one
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

/** The number of segments of a pattern that are more than one parameter. */
const exactSegments = (pattern: string): number =>
  pattern.split("/").filter((segment) => segment !== "" && !/^[:*][\p{ID_Continue}$]+$/u.test(segment)).length;
