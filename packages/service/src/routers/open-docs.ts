import { StartError } from "@servicekit/core";
import { missingPackages } from "@servicekit/core/internal";
import type { DocumentOptions, OpenApiDocument } from "@servicekit/openapi";
import type { RouteTable } from "@servicekit/router";
import type { RequestHandler } from "express";
import type { ServiceSettings } from "../config/settings.js";
import type { RouterContext } from "./built-in-routers.js";

/** What the documentation is made with. */
export type DocsContext = Pick<
  RouterContext,
  "settings" | "table" | "errorsOf" | "parametersOf" | "auth" | "logger" | "mountPath"
>;

/** What the tags of the built-in routers stand for. */
const builtInTags: Readonly<Record<string, string>> = {
  Authentication: "Signing up, in and out, and the signed-in user.",
  Discovery: "What this API has, for programs.",
  Documentation: "This document.",
  Files: "Files that were uploaded.",
  Health: "Whether the service lives, and whether it is ready.",
  Metrics: "The figures of this service, for Prometheus.",
  Welcome: "The greeting of this API.",
};

const swagger = { names: ["swagger-ui-express"], purpose: "The page of Swagger UI", development: true };

/** The documentation (contract C47), where it is served at all; its libraries are loaded with the first request for it. */
export async function openDocs(context: DocsContext): Promise<RequestHandler | undefined> {
  const { apiDocs } = context.settings;
  if (!apiDocs.enabled) return undefined;
  const { hasSwagger, makeDocsRouter } = await import("@servicekit/openapi/docs-router");
  if (!hasSwagger())
    context.logger.info(`${missingPackages(swagger)} (until then the documentation is shown by Scalar)`);
  const access = howToOpen(context);
  if (access !== undefined) context.logger.info(access);
  return makeDocsRouter({
    settings: apiDocs,
    isAuthenticated: context.auth?.router !== undefined,
    document: () => documentSource(context),
  });
}

/** In production the documentation is not public until the configuration says who may read it. */
function howToOpen({ settings: { apiDocs, authentication }, auth }: DocsContext): string | undefined {
  const { authentication: access, endpoint } = apiDocs;
  if (auth?.router === undefined || typeof access !== "object" || access.rule !== undefined) return undefined;
  const others = authentication?.mode === "dynamic" ? " and users with the permission View of api-docs" : "";
  return `The API documentation at ${endpoint} is open to superusers${others}. Set apidocs.auth to a list of roles, to true (signed-in users) or to false (everyone) to open it to others.`;
}

/** The document as a value, also where it is not served. */
export async function makeOpenApi(context: DocsContext): Promise<OpenApiDocument> {
  const { makeDocument } = await import("@servicekit/openapi");
  return makeDocument({ ...documentSource(context), settings: context.settings.apiDocs });
}

function documentSource(context: DocsContext): Omit<DocumentOptions, "settings"> {
  const { settings, table, errorsOf, parametersOf, auth, logger, mountPath } = context;
  const { middlewares } = settings;
  return {
    table,
    // Where nothing else is said, the API is where its document is: at whatever name a proxy or a port gave it.
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
    packageRoot: settings.root,
    tags: builtInTags,
    warn: (message) => logger.warn(`the API documentation: ${message}`),
  };
}

/**
 * Holds the routes against `apidocs.strict` (contract C47).
 *
 * @throws {StartError} that names every operation that no module documents
 */
export async function checkDocs(table: RouteTable, { apiDocs }: ServiceSettings): Promise<void> {
  if (!apiDocs.strict) return;
  const { checkDocumented } = await import("@servicekit/openapi/internal");
  const faults = checkDocumented(table, apiDocs);
  if (faults.length > 0) throw new StartError([...faults]);
}
