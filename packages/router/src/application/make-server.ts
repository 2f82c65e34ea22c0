import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Express } from "express";
import { continueLater } from "../request/continue-later.js";

// Importing its names would make Node load its fetch, because of the WebSocket among them.
const http = process.getBuiltinModule("node:http");

/** Passes a request to the application, immediately or later, or responds itself. */
export type Gate = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => void;

/** Node's options; the default time limits are those of contract C43. */
export type HttpServerOptions = Omit<ServerOptions, "IncomingMessage" | "ServerResponse"> & {
  /** Creates the messages with the classes of the application. @default true */
  readonly ownMessages?: boolean;
  /** Precedes the application. @default every request starts immediately */
  readonly gate?: Gate;
};

/**
 * Creates the HTTP server of an application. Express changes the prototype of each request and response, which makes
 * them slow objects; the messages of this server are of the classes of `makeApp`, so that setting their prototype again
 * costs nothing. A client that sends `Expect: 100-continue` receives `100 Continue` when the body is read.
 */
export function makeServer(app: Express, { gate, ...options }: HttpServerOptions = {}): Server {
  return serveApp(makeIdleServer(app, options), app, gate);
}

/** The server of {@link makeServer} before it has an application: {@link serveApp} gives it one. */
export function makeIdleServer(app: Express, options: Omit<HttpServerOptions, "gate"> = {}): Server {
  const { ownMessages = true, ...given } = options;
  // Node checks connection timeouts every 30 s by default, whatever the limits are.
  const settings = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000, ...given };
  const messages = {
    IncomingMessage: app.request.constructor as typeof http.IncomingMessage,
    ServerResponse: app.response.constructor as typeof http.ServerResponse,
  };
  const server = http.createServer({ ...settings, ...(ownMessages ? messages : {}) });
  return server.on("checkContinue", (request, response) => {
    continueLater(request, response);
    server.emit("request", request, response);
  });
}

/**
 * Passes the requests of a server to an application.
 *
 * @param gate runs before the application. @default every request is passed immediately
 */
export function serveApp(server: Server, app: Express, gate?: Gate): Server {
  return server.on(
    "request",
    gate === undefined ? app : (request, response) => gate(request, response, () => app(request, response)),
  );
}
