import { type AuthenticationConfig, type DeclaredRoute, type RouteEntry } from "@servicekit/router";
import { declaredValue, requiredAuthentication } from "@servicekit/router/internal";
import type { Request } from "express";
import type { McpContext, SeenModel } from "./mcp-context.js";
import type { McpSettings } from "./settings.js";

/** An action on a resource, and the operation of the service that performs it. */
const operationOf = {
  find: "findMany",
  aggregate: "aggregate",
  read: "findOne",
  create: "createOne",
  update: "updateOne",
  replace: "replaceOne",
  delete: "deleteOne",
  restore: "restoreOne",
} as const;

/** The possible actions on a resource. */
export type Act = keyof typeof operationOf;

const acts = Object.keys(operationOf) as readonly Act[];
const reading: ReadonlySet<Act> = new Set(["find", "aggregate", "read"]);

/** A resource with the actions that are allowed for the caller of one request. */
export interface OpenResource extends SeenModel {
  /** The last part of its path, such as `media-types`. */
  readonly name: string;
  /** The full path of its routes, such as `/api/order-items`. */
  readonly path: string;
  readonly acts: readonly Act[];
}

/** A declared route with `mcp: true`. */
export interface OpenRoute {
  readonly method: string;
  /** In Express's syntax. */
  readonly path: string;
  readonly route: DeclaredRoute;
}

/** What the caller of one request may use. Everything else does not exist for the caller. */
export interface Catalog {
  readonly resources: ReadonlyMap<string, OpenResource>;
  readonly routes: readonly OpenRoute[];
}

/** Determines what the callers of requests may do, by requests to the service with the caller's permissions. */
export function makeCatalogs(context: McpContext, { access }: McpSettings): (request: Request) => Promise<Catalog> {
  const { table, visible, allows } = context;
  let known: { readonly models: ReadonlyMap<string, ModelRoutes>; readonly routes: readonly OpenRoute[] } | undefined;
  const may = (request: Request, access: AuthenticationConfig): boolean | Promise<boolean> =>
    allows === undefined || allows(request, access);
  return async (request) => {
    // Routes may be added until the first request.
    known ??= { models: modelRoutes(table.entries, access), routes: declaredRoutes(table.entries, access) };
    const resources = new Map<string, OpenResource>();
    for (const seen of await visible(request)) {
      const open = known.models.get(seen.model.name);
      if (open === undefined) continue;
      const allowed = await Promise.all(open.acts.map(([, access]) => may(request, access)));
      const mine = open.acts.flatMap(([act], index) => (allowed[index] === true ? [act] : []));
      if (mine.length > 0) resources.set(open.name, { ...seen, name: open.name, path: open.path, acts: mine });
    }
    const routes: OpenRoute[] = [];
    for (const each of known.routes) if (await may(request, accessOf(each.route))) routes.push(each);
    return { resources, routes };
  };
}

interface ModelRoutes {
  readonly name: string;
  readonly path: string;
  readonly acts: readonly (readonly [act: Act, access: AuthenticationConfig])[];
}

function modelRoutes(entries: readonly RouteEntry[], access: McpSettings["access"]): ReadonlyMap<string, ModelRoutes> {
  const found = new Map<string, ModelRoutes>();
  for (const { path, route } of entries) {
    const { model, operation } = route?.origin ?? {};
    const act = acts.find((name) => operationOf[name] === operation);
    if (route === undefined || model === undefined || act === undefined) continue;
    if (access === "read" && !reading.has(act)) continue;
    const fullPath = path.replace(/\/(:id|:id\/restore|aggregate)$/, "");
    const { acts: before = [] } = found.get(model) ?? {};
    const name = fullPath.slice(fullPath.lastIndexOf("/") + 1);
    const both = [...before, [act, accessOf(route)] as const];
    found.set(model, { name, path: fullPath, acts: both.sort(([a], [b]) => acts.indexOf(a) - acts.indexOf(b)) });
  }
  return found;
}

const declaredRoutes = (entries: readonly RouteEntry[], access: McpSettings["access"]): readonly OpenRoute[] =>
  entries.flatMap(({ method, path, route }) => {
    if (route === undefined || declaredValue(route.config, "mcp") !== true) return [];
    return access === "read" && method !== "GET" ? [] : [{ method, path, route }];
  });

const accessOf = ({ config }: DeclaredRoute): AuthenticationConfig => requiredAuthentication(config.authentication);
