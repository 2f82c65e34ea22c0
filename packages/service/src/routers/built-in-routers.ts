import type { Auth } from "@servicekit/auth";
import type { StartupIssue } from "@servicekit/core";
import { makeAvailableRoutes } from "@servicekit/discovery";
import { makeAuthActions, makeAvailableResources } from "@servicekit/discovery/internal";
import type { ModelRouter } from "@servicekit/model-router";
import { callerOf, type RouteTable, type ServiceRouter } from "@servicekit/router";
import type { MountedRouter } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import type { RouterName } from "../config/names.js";
import type { PlainRouter } from "../config/service-config.js";
import type { ServiceSettings } from "../config/settings.js";
import { isRouter, toHandler } from "../config/sort-used.js";
import { makeBackgroundRouter } from "./background-router.js";
import { firstPage } from "./first-page.js";
import { makeHealthRouter } from "./health-router.js";
import { openDocs } from "./open-docs.js";
import type { RouterContext } from "./router-context.js";
import { makeWelcomeRouter } from "./welcome-router.js";

type MakeRouter = (
  context: RouterContext,
) => ServiceRouter | RequestHandler | undefined | Promise<RequestHandler | undefined>;

/** A built-in router, and its mount path: those with configured paths are mounted at the root. */
interface BuiltIn {
  readonly name: RouterName;
  readonly make: MakeRouter;
  readonly path?: (settings: ServiceSettings) => string;
}

/** The built-in routers in mounting order. */
const builtIn: readonly BuiltIn[] = [
  { name: "welcome-endpoint", make: makeWelcome },
  { name: "health", make: makeHealthRouter },
  { name: "background", make: makeBackgroundRouter },
  { name: "file-uploader", make: ({ uploads }) => uploads.router, path: ({ fileUpload }) => fileUpload.baseRoute },
  { name: "auth-router", make: ({ auth }) => auth?.router },
  {
    name: "available-routes",
    make: ({ table, auth, idempotency }) =>
      makeAvailableRoutes({ table, allows: allowsOf(auth), takesKey: idempotency?.serves }),
  },
  { name: "available-resources", make: makeResources },
  { name: "auth-actions", make: makeActions },
  { name: "api-docs", make: openDocs, path: ({ apiDocs }) => apiDocs.endpoint },
  {
    name: "studio",
    make: openServiceStudio,
    path: () => "/api/studio",
  },
  { name: "model-router", make: ({ modelRouter }) => modelRouter },
];

/** The studio, with the name of the application: the title of its document, or the name of its package. */
async function openServiceStudio({ settings, auth }: RouterContext): Promise<RequestHandler | undefined> {
  if (!settings.studio) return undefined;
  const { openStudio } = await import("@servicekit/studio");
  const { readPackageInfo } = await import("@servicekit/openapi/internal");
  const title = settings.apiDocs.options.definition?.info?.title ?? readPackageInfo(settings.root).title;
  return openStudio({ ...settings, title }, auth?.router !== undefined);
}

/** The routers to mount: without the disabled ones, and with replacements in place of built-in ones (contract C51). */
export async function builtInRouters(context: RouterContext): Promise<readonly MountedRouter[]> {
  const { settings } = context;
  const mounted: MountedRouter[] = [];
  for (const { name, make, path } of builtIn) {
    if (settings.disabledRouters.has(name)) continue;
    const replacement = settings.replacedRouters.get(name);
    if (replacement !== undefined) {
      mounted.push([path?.(settings) ?? "/api", replacedRouter(name, replacement)]);
      continue;
    }
    const router = await make(context);
    if (router !== undefined) mounted.push([path === undefined ? "/api" : "/", router as RequestHandler]);
  }
  return mounted;
}

/** The conflicts between the paths of models and those of built-in routers. */
export function builtInPathIssues(
  table: RouteTable,
  { fileUpload, apiDocs, disabledRouters }: Pick<ServiceSettings, "fileUpload" | "apiDocs" | "disabledRouters">,
): StartupIssue[] {
  const hasQueues = table.entries.some(({ route }) => route?.origin.operation === "findQueues");
  const places: readonly (readonly [name: RouterName, path: string])[] = [
    ["file-uploader", fileUpload.baseRoute],
    ["available-routes", "/api/available-routes"],
    ["available-resources", "/api/available-resources"],
    ["auth-actions", "/api/auth-actions"],
    ["studio", "/api/studio"],
    ...(hasQueues ? [["background", "/api/job-queues"] as const] : []),
    ...(apiDocs.enabled ? [["api-docs", apiDocs.endpoint] as const] : []),
  ];
  const generated = new Map(
    table.entries.flatMap(({ path, route }) =>
      route?.origin.model === undefined ? [] : [[path.replace(/\/(many|:id)$/, ""), route.origin.model] as const],
    ),
  );
  return places.flatMap(([router, path]) => {
    const model = generated.get(path);
    if (model === undefined || disabledRouters.has(router)) return [];
    const message = `Its path ${path} is that of the built-in router ${router}: rename the model (@@map preserves its table), or move or disable the router (routers.disable).`;
    return [{ where: `model ${model}`, message }];
  });
}

/** A single handler in place of the welcome endpoint is for that path only, not for all below it. */
function replacedRouter(name: RouterName, replacement: RequestHandler | PlainRouter): RequestHandler {
  if (name === "welcome-endpoint" && !isRouter(replacement)) return makeWelcomeRouter(replacement as RequestHandler);
  return toHandler(replacement);
}

function makeWelcome({ settings }: RouterContext): ServiceRouter | undefined {
  const { welcomeRoute } = settings.routers;
  if (welcomeRoute === false) return undefined;
  return makeWelcomeRouter(welcomeRoute ?? settings.welcomeMessage, firstPage(settings, "/api").length > 0);
}

/** Access is checked only if authentication is on. */
const allowsOf = (auth: Auth | undefined): Auth["allows"] | undefined =>
  auth?.router === undefined ? undefined : auth.allows;

function makeResources({ table, database, modelRouter, auth, settings }: RouterContext): ServiceRouter {
  const visible: ModelRouter["visibleModels"] = async (request) => (await modelRouter?.visibleModels(request)) ?? [];
  // Stored permissions are rows, readable by callers with access.
  const describesAccess =
    settings.authentication?.mode === "static"
      ? (request: Request) => callerOf(request)?.isSuperUser === true
      : undefined;
  return makeAvailableResources({
    table,
    visible,
    models: database?.models ?? new Map(),
    allows: allowsOf(auth),
    describesAccess,
  });
}

function makeActions({ table, auth }: RouterContext): ServiceRouter | undefined {
  const allows = allowsOf(auth);
  return allows === undefined ? undefined : makeAuthActions({ table, allows });
}
