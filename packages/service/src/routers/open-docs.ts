import { StartupError } from "@servicekit/core";
import { missingPackages } from "@servicekit/core/internal";
import type { DocumentOptions, OpenApiDocument } from "@servicekit/openapi";
import type { RouteTable } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { RouterContext } from "./router-context.js";

/** The dependencies of the documentation. */
export type DocsContext = Pick<
  RouterContext,
  "settings" | "table" | "errorsOf" | "parametersOf" | "auth" | "logger" | "mountPath" | "webhooks"
>;

/** The descriptions of the built-in routers' tags. */
const builtInTags: Readonly<Record<string, string>> = {
  Authentication: "Sign-up, sign-in, sign-out and the current user.",
  Background: "Jobs, subscribers, webhooks and event streams.",
  Discovery: "Discovery of routes, resources and permissions.",
  Documentation: "This document.",
  Files: "Uploaded files.",
  Health: "Liveness and readiness.",
  Metrics: "Metrics for Prometheus.",
  Welcome: "The welcome message.",
};

const swagger = { names: ["swagger-ui-express"], purpose: "The Swagger UI page", development: true };

/** The documentation (contract C47), if it is served; its libraries are loaded with its first request. */
export async function openDocs(context: DocsContext): Promise<RequestHandler | undefined> {
  const { apiDocs } = context.settings;
  if (!apiDocs.enabled) return undefined;
  const { makeDocsRouter } = await import("@servicekit/openapi/docs-router");
  const access = howToOpen(context);
  if (access !== undefined) context.logger.info(access);
  return makeDocsRouter({
    settings: apiDocs,
    isAuthenticated: context.auth?.router !== undefined,
    document: () => documentSource(context),
  });
}

/** Logs how to install Swagger UI if the documentation is served without it; commands and seeds serve no pages. */
export async function reportMissingSwagger(logger: Logger): Promise<void> {
  const { hasSwagger } = await import("@servicekit/openapi/docs-router");
  if (!hasSwagger()) logger.info(`${missingPackages(swagger)} (until then, Scalar shows the documentation)`);
}

/** In production the documentation is not public until its access is configured. */
function howToOpen({ settings: { apiDocs, authentication }, auth }: DocsContext): string | undefined {
  const { authentication: access, endpoint } = apiDocs;
  if (auth?.router === undefined || typeof access !== "object" || access.rule !== undefined) return undefined;
  const others = authentication?.mode === "dynamic" ? " and users with the permission View of api-docs" : "";
  return `The API documentation at ${endpoint} is open to superusers${others}. To open it, set apidocs.auth to a list of roles, true (signed-in users) or false (everyone).`;
}

/** The document as a value, even if it is not served. */
export async function makeOpenApi(context: DocsContext): Promise<OpenApiDocument> {
  const { makeDocument } = await import("@servicekit/openapi");
  return makeDocument({ ...documentSource(context), settings: context.settings.apiDocs });
}

function documentSource(context: DocsContext): Omit<DocumentOptions, "settings"> {
  const { settings, table, errorsOf, parametersOf, auth, logger, mountPath, webhooks } = context;
  const { middlewares } = settings;
  return {
    table,
    // By default, the API is at the origin of its document, whatever name a proxy or a port gave it.
    serverUrl: settings.publicUrl ?? (mountPath() || "/"),
    surrounding: {
      isLimited: (route) =>
        route.config.rateLimit !== undefined || (middlewares.rateLimit !== false && route.origin.resource !== "health"),
      isAuthenticated: auth?.router !== undefined,
      hasTimeLimit: true,
      errorsOf,
      parametersOf,
      credentialsOf: auth?.credentialsOf,
    },
    ...(webhooks === undefined ? {} : { webhooks }),
    packageRoot: settings.root,
    tags: builtInTags,
    warn: (message) => logger.warn(`the API documentation: ${message}`),
  };
}

/**
 * Checks the routes against `apidocs.strict` (contract C47).
 *
 * @throws {StartupError} that names every operation that no module documents
 */
export async function checkDocs(table: RouteTable, { apiDocs }: ServiceSettings): Promise<void> {
  if (!apiDocs.strict) return;
  const { checkDocumented } = await import("@servicekit/openapi/internal");
  const issues = checkDocumented(table, apiDocs);
  if (issues.length > 0) throw new StartupError([...issues]);
}
