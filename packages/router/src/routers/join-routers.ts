import type { RequestHandler } from "express";
import { requestPath } from "../request/request-path.js";
import {
  isCurrent,
  markJoined,
  noteVersion,
  type ReadVersions,
  type RoutePattern,
  recordOf,
  registrationsOf,
} from "../table/express-layers.js";
import { makeRouteIndex } from "../table/route-index.js";
import { ServiceRouter } from "./service-router.js";

/** A router, or any handler, with the path that it is mounted at. */
export type MountedRouter = readonly [path: string, router: RequestHandler];

/**
 * Joins routers to one handler, which hands a request only to those that can match its path, in their order. It behaves as if they were
 * mounted one after another, and costs the same with any number of them. Mount it at `/` of a `ServiceRouter` or of an application of
 * `makeApp`; the route table contains its routes.
 */
export function joinRouters(mounted: readonly MountedRouter[]): RequestHandler {
  let known: Choices | undefined;
  const choices = (): Choices => {
    if (known === undefined || !isCurrent(known.read)) known = readChoices(mounted);
    return known;
  };
  const handler: RequestHandler = (request, response, next) => {
    let { url } = request;
    const { routers, choose } = choices();
    let chosen = choose(requestPath(request));
    let at = 0;
    let last = -1;
    const step = (error?: unknown): void => {
      if (error) {
        next(error);
        return;
      }
      if (request.url !== url) {
        // A handler has rewritten the URL: the routers behind it are chosen for the new one.
        ({ url } = request);
        chosen = choose(requestPath(request));
        at = 0;
      }
      let position = chosen[at++];
      while (position !== undefined && position <= last) position = chosen[at++];
      if (position === undefined) {
        next();
        return;
      }
      last = position;
      (routers[position] as RequestHandler)(request, response, step);
    };
    step();
  };
  return markJoined(handler, mounted.map(mountAt));
}

/** A router that has another one at a path. */
const mountAt = ([path, router]: MountedRouter): RequestHandler =>
  path === "/" && recordOf(router) !== undefined ? router : ServiceRouter().use(path, router);

/** The routers, and the positions of those that can match a path, ascending. */
interface Choices {
  readonly routers: readonly RequestHandler[];
  readonly choose: (path: string | undefined) => readonly number[];
  readonly read: ReadVersions;
}

function readChoices(mounted: readonly MountedRouter[]): Choices {
  const index = makeRouteIndex();
  const read: ReadVersions = new Map();
  const routers: RequestHandler[] = [];
  const add = (router: object, above: readonly RoutePattern[], parents: readonly object[]): void => {
    noteVersion(read, router);
    const position = routers.length - 1;
    for (const registration of registrationsOf(router)) {
      const patterns = [...above, registration.pattern];
      if (registration.kind !== "router") {
        index.add(patterns, position, registration.kind === "handler");
        continue;
      }
      const inner = registration.router;
      // What is added to a router of Express later is not noticed.
      if (recordOf(inner) === undefined) index.add(patterns, position, true);
      else if (!parents.includes(inner)) add(inner, patterns, [...parents, inner]);
    }
  };
  for (const [path, router] of mounted) {
    noteVersion(read, router);
    for (const part of partsOf(router)) {
      const own = mountAt([path, part]);
      routers.push(own);
      add(own, [], [own]);
    }
  }
  const all = [...routers.keys()];
  return { routers, choose: (path) => (path === undefined ? all : index.candidates(path)), read };
}

/** The routers that a router is joined of and has nothing beside; otherwise the router itself. */
function partsOf(router: RequestHandler): readonly RequestHandler[] {
  if (recordOf(router) === undefined) return [router];
  const registrations = registrationsOf(router);
  const isJoined = registrations.every(({ kind, pattern }) => kind === "router" && pattern === "/");
  return isJoined ? registrations.map((registration) => (registration as { router: RequestHandler }).router) : [router];
}
