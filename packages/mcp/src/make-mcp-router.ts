import { httpErrors } from "@servicekit/core";
import { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { loadSdk } from "./load-sdk.js";
import type { McpContext } from "./mcp-context.js";
import { makeMessageHandler } from "./message-handler.js";
import type { McpSettings } from "./settings.js";

/** One message: a batch would be many requests for the price of one. */
const message = z
  .custom<object>((body) => typeof body === "object" && body !== null && !Array.isArray(body) && "jsonrpc" in body)
  .meta({ expected: "one JSON-RPC message" });

/**
 * Creates the router of `POST /mcp` (contract C75), to mount at `/api`: Streamable HTTP without sessions, with a JSON
 * response to each message. Without a token the caller is anonymous and has the permissions of anonymous clients.
 *
 * @throws {StartupError} if the library is not installed
 */
export async function makeMcpRouter(settings: McpSettings, context: McpContext): Promise<ServiceRouter> {
  const handleMessage = makeMessageHandler(await loadSdk(), settings, context);
  const router = ServiceRouter();
  declareRoute(router, {
    method: "post",
    config: {
      path: "/mcp",
      queryParser: false,
      validation: { body: message },
      experimental: { openapi: false },
    },
    handlers: [
      rejectPages(context.allowedOrigins),
      ...(context.identify === undefined ? [] : [context.identify]),
      async (request, response) => {
        await send(await handleMessage(request), response);
      },
    ],
    origin: { place: "the Model Context Protocol", resource: "mcp", operation: "message" },
  });
  return router;
}

/**
 * Only pages of known origins may send requests. The host name of a request is no evidence, because the owner of a name
 * can point it to any address (DNS rebinding).
 */
function rejectPages(allowedOrigins: readonly string[]): RequestHandler {
  const allowed = new Set(allowedOrigins);
  return (request, _response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || allowed.has(origin)) return next();
    throw httpErrors.Forbidden("Requests from this origin are not allowed. Add it to middlewares.cors.allowedOrigins.");
  };
}

async function send(reply: globalThis.Response, response: Response): Promise<void> {
  const text = await reply.text();
  const type = reply.headers.get("content-type");
  // Permissions differ between callers, and rows change.
  response.setHeader("Cache-Control", "no-store");
  if (type !== null) response.setHeader("Content-Type", type);
  response.writeHead(reply.status).end(text);
}
