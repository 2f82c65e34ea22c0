import { httpErrors } from "@servicekit/core";
import { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { makeAnswerMessage } from "./answer-message.js";
import { loadSdk } from "./load-sdk.js";
import type { McpContext } from "./mcp-context.js";
import type { McpSettings } from "./settings.js";

/** One message: several in one body would be many requests for the price of one. It stays the value that was read. */
const message = z
  .custom<object>((body) => typeof body === "object" && body !== null && !Array.isArray(body) && "jsonrpc" in body)
  .meta({ expected: "one JSON-RPC message" });

/**
 * Makes the router of `POST /mcp` (contract C75), to mount at `/api`: Streamable HTTP without sessions, each message answered
 * with JSON. Whoever calls is nobody without a token, and may what nobody may.
 *
 * @throws {StartError} when the library is not installed
 */
export async function makeMcpRouter(settings: McpSettings, context: McpContext): Promise<ServiceRouter> {
  const answerMessage = makeAnswerMessage(await loadSdk(), settings, context);
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
      refusePages(context.allowedOrigins),
      ...(context.identify === undefined ? [] : [context.identify]),
      async (request, response) => {
        await send(await answerMessage(request), response);
      },
    ],
    origin: { place: "the Model Context Protocol", resource: "mcp", operation: "message" },
  });
  return router;
}

/**
 * Only pages of known origins ask. The name that a request was sent to proves nothing: whoever owns a name lets it lead to any
 * address (DNS rebinding).
 */
function refusePages(allowedOrigins: readonly string[]): RequestHandler {
  const allowed = new Set(allowedOrigins);
  return (request, _response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || allowed.has(origin)) return next();
    throw httpErrors.Forbidden("Pages of this origin may not ask here: name it in middlewares.cors.allowedOrigins.");
  };
}

async function send(answer: globalThis.Response, response: Response): Promise<void> {
  const text = await answer.text();
  const type = answer.headers.get("content-type");
  // Rights differ from caller to caller, and rows change.
  response.setHeader("Cache-Control", "no-store");
  if (type !== null) response.setHeader("Content-Type", type);
  response.writeHead(answer.status).end(text);
}
