import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import path from "node:path";
import type { ServedDescription } from "@servicekit/mcp";
import type { ModelRouter } from "@servicekit/model-router";
import type { Database } from "@servicekit/prisma";
import type { ServiceRouter } from "@servicekit/router";
import { makeFetch } from "@servicekit/server";
import type { Request } from "express";
import type { ServiceSettings } from "../config/settings.js";
import { logError } from "../logging/log-error.js";
import { type DocsContext, makeOpenApi } from "./open-docs.js";

/** The dependencies of MCP. */
export interface McpContext extends DocsContext {
  readonly modelRouter: ModelRouter | undefined;
  readonly database: Database | undefined;
  /** Responds to the requests of the tools. */
  readonly server: Server;
}

/**
 * The MCP server for AI agents (contract C75), if it is configured; the package is loaded only then.
 *
 * @throws {StartupError} if the library is not installed
 */
export async function openMcp(context: McpContext): Promise<ServiceRouter | undefined> {
  const { settings, table, modelRouter, database, auth, logger, server } = context;
  if (settings.mcp === undefined) return undefined;
  const { makeMcpRouter } = await import("@servicekit/mcp");
  const isGuarded = auth?.router !== undefined;
  return makeMcpRouter(settings.mcp, {
    info: readInfo(settings.root),
    table,
    models: database?.models ?? new Map(),
    visible: async (request) => (await modelRouter?.visibleModels(request)) ?? [],
    ...(isGuarded ? { allows: auth.allows, identify: auth.identify } : {}),
    fetch: makeFetch(server, () => false, peerOf),
    document: () => makeOpenApi(context),
    descriptions: settings.apiDocs.enabled ? descriptionsAt(settings.apiDocs.endpoint) : [],
    allowedOrigins: originsOf(settings),
    log: logError(logger),
  });
}

/** A call counts as one of the agent's request: the same address, the same security. */
function peerOf({ socket }: Request) {
  const { remoteAddress = "127.0.0.1", encrypted = false } = socket as Request["socket"] & { encrypted?: boolean };
  return { remoteAddress, encrypted, isWithin: true };
}

const descriptionsAt = (endpoint: string): readonly ServedDescription[] => [
  { path: `${endpoint}/llms.txt`, title: "A summary of this service", mimeType: "text/plain" },
  { path: `${endpoint}.json`, title: "The OpenAPI document of this service", mimeType: "application/json" },
];

/** The service's own origin, and the origins that may call it with the credentials in the user's browser. */
function originsOf({ publicUrl, middlewares }: ServiceSettings): readonly string[] {
  const { cors } = middlewares;
  const named = typeof cors === "object" ? (cors.allowedOrigins ?? []) : [];
  return [...named.filter((origin) => origin !== "*"), ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
}

function readInfo(root: string): { readonly name: string; readonly version: string } {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    return { name: String(name ?? "service"), version: String(version ?? "0.0.0") };
  } catch {
    return { name: "service", version: "0.0.0" };
  }
}
