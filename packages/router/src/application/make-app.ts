import express, { type Express, type Request } from "express";
import { setQuery } from "../request/request-query.js";
import { endImmediately } from "../response/end-immediately.js";
import { sendJsonSynchronously } from "../response/send-json-synchronously.js";
import { recordApplication } from "../routers/record-application.js";

// Importing its names would make Node load its fetch, because of the WebSocket among them.
const { IncomingMessage, ServerResponse } = process.getBuiltinModule("node:http");

const expressQuery = Object.getOwnPropertyDescriptor(express.request, "query") ?? {};
const expressIp = Object.getOwnPropertyDescriptor(express.request, "ip") ?? {};

/**
 * Creates an Express application whose handlers and routers the route table contains, without the `X-Powered-By`
 * header, and with an assignable `request.query`.
 */
export function makeApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.request = asClass(app.request, class extends IncomingMessage {});
  app.response = asClass(app.response, class extends ServerResponse {});
  recordApplication(app);
  Object.defineProperty(app.request, "query", {
    ...expressQuery,
    set(value: unknown) {
      setQuery(this, value);
    },
  });
  Object.defineProperty(app.request, "ip", {
    ...expressIp,
    get(this: Request): string | undefined {
      // Without a trusted proxy, no header affects the address.
      return this.app.get("trust proxy") === false ? this.socket.remoteAddress : expressIp.get?.call(this);
    },
  });
  endImmediately(app.response);
  sendJsonSynchronously(app.response);
  return app;
}

/** The prototype of a class of the application's messages: what Express sets as the prototype of each of them. */
function asClass<Message extends object>(message: Message, { prototype }: { readonly prototype: object }): Message {
  Object.setPrototypeOf(prototype, Object.getPrototypeOf(message) as object);
  return Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(message)) as Message;
}
