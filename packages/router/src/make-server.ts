import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http";
import type { Express } from "express";

/** Node's options; the time limits are those of contract C43 unless given. */
export type HttpServerOptions = Omit<ServerOptions, "IncomingMessage" | "ServerResponse"> & {
  /** Gives the messages the application's prototypes from the start. @default true below Node 24 */
  readonly ownMessages?: boolean;
};

/**
 * Makes the HTTP server of an application. Express gives each request and response another prototype, which makes them
 * slow objects; the messages of this server have the right one from the start, so that giving it again costs nothing.
 * Node 24 gains nothing by it.
 */
export function makeServer(app: Express, options: HttpServerOptions = {}): Server {
  const { ownMessages = Number.parseInt(process.versions.node, 10) < 24, ...given } = options;
  // Node looks for connections over their time every 30 s unless told otherwise, whatever the limits are.
  const settings = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000, ...given };
  if (!ownMessages) return createServer(settings, app);
  return createServer(
    {
      ...settings,
      IncomingMessage: withPrototype(IncomingMessage, app.request),
      ServerResponse: withPrototype(ServerResponse, app.response),
    },
    app,
  );
}

/** A constructor that does what Node's does, for objects of another prototype. */
function withPrototype<Constructor extends typeof IncomingMessage | typeof ServerResponse>(
  base: Constructor,
  prototype: object,
): Constructor {
  function Message(this: object, ...args: unknown[]): void {
    // Node's constructors are functions of the old style, so they can be called on an object that exists.
    (base as unknown as (this: object, ...args: unknown[]) => void).apply(this, args);
  }
  Message.prototype = prototype;
  return Message as unknown as Constructor;
}
