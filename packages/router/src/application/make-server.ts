import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Express } from "express";
import { continueLater } from "../request/continue-later.js";

// An import of its names makes Node load its own fetch, for the WebSocket that stands among them.
const http = process.getBuiltinModule("node:http");

/** Lets a request go on to the application, now or later, or answers it itself. */
export type Gate = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => void;

/** Node's options; the time limits are those of contract C43 unless given. */
export type HttpServerOptions = Omit<ServerOptions, "IncomingMessage" | "ServerResponse"> & {
  /** Gives the messages the application's prototypes from the start. @default true */
  readonly ownMessages?: boolean;
  /** Stands before the application. @default it has every request at once */
  readonly gate?: Gate;
};

/**
 * Makes the HTTP server of an application. Express gives each request and response another prototype, which makes them
 * slow objects; the messages of this server have the right one from the start, so that giving it again costs nothing.
 * A client that sends `Expect: 100-continue` receives `100 Continue` when the body is read.
 */
export function makeServer(app: Express, { gate, ...options }: HttpServerOptions = {}): Server {
  return serveApp(makeIdleServer(app, options), app, gate);
}

/** The server of {@link makeServer} before it has an application: {@link serveApp} gives it one. */
export function makeIdleServer(app: Express, options: Omit<HttpServerOptions, "gate"> = {}): Server {
  const { ownMessages = true, ...given } = options;
  // Node looks for connections over their time every 30 s unless told otherwise, whatever the limits are.
  const settings = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000, ...given };
  const messages = {
    IncomingMessage: withPrototype(http.IncomingMessage, app.request),
    ServerResponse: withPrototype(http.ServerResponse, app.response),
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

/** A constructor that does what Node's does, for objects of another prototype. */
function withPrototype<Constructor extends typeof http.IncomingMessage | typeof http.ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Message(this: object, ...args: unknown[]): void {
    // Node's constructors are functions of the old style, so they can be called on an object that exists.
    (base as unknown as (this: object, ...args: unknown[]) => void).apply(this, args);
  }
  Message.prototype = prototype;
  // By the constructor that it inherits from an object knows how many properties it will get, and has room for them.
  Object.setPrototypeOf(Message, base);
  return Message as unknown as Constructor;
}
