import { makeModelRouter } from "@servicekit/model-router";
import type { Database } from "@servicekit/orm";
import type { ServiceRouter } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { RouterName } from "./config/names.js";
import type { PlainRouter } from "./config/service-config.js";
import { makeHealthRouter, type ReadinessCheck } from "./health-router.js";
import type { ServiceSettings } from "./settings.js";
import { isRouter, toHandler } from "./sort-used.js";
import { makeWelcomeRouter } from "./welcome-router.js";

/** What the built-in routers are made with besides the settings. */
export interface RouterContext {
  readonly settings: ServiceSettings;
  readonly database: Database | undefined;
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  readonly logger: Logger;
}

type MakeRouter = (context: RouterContext) => ServiceRouter | RequestHandler | undefined;

/** What has a name and a place, and nothing in it but a replacement. */
const nothing: MakeRouter = () => undefined;

/** The built-in routers in the order in which they are mounted at `/api`. */
const builtIn: readonly (readonly [RouterName, MakeRouter])[] = [
  ["welcome-endpoint", makeWelcome],
  ["health", makeHealthRouter],
  ["file-uploader", nothing],
  ["auth-router", nothing],
  ["available-routes", nothing],
  ["available-resources", nothing],
  ["auth-actions", nothing],
  ["api-docs", nothing],
  ["model-router", makeModels],
];

/** The routers to mount at `/api`: without the disabled ones, a replacement in the place of the built-in one (C51). */
export function builtInRouters(context: RouterContext): RequestHandler[] {
  const { disabledRouters, replacedRouters } = context.settings;
  return builtIn.flatMap(([name, make]) => {
    if (disabledRouters.has(name)) return [];
    const replacement = replacedRouters.get(name);
    const router = replacement === undefined ? make(context) : replacedRouter(name, replacement);
    return router === undefined ? [] : [router as RequestHandler];
  });
}

/** A single handler in place of the welcome endpoint is for that one path, not for all below it. */
function replacedRouter(name: RouterName, replacement: RequestHandler | PlainRouter): ServiceRouter | RequestHandler {
  if (name === "welcome-endpoint" && !isRouter(replacement)) return makeWelcomeRouter(replacement as RequestHandler);
  return toHandler(replacement);
}

function makeWelcome({ settings }: RouterContext): ServiceRouter | undefined {
  const { welcomeRoute } = settings.routers;
  return welcomeRoute === false ? undefined : makeWelcomeRouter(welcomeRoute ?? settings.welcomeMessage);
}

function makeModels({ settings, database }: RouterContext): ServiceRouter | undefined {
  if (database === undefined) return undefined;
  return makeModelRouter({ models: database.models, database, settings: settings.modelRouter });
}
