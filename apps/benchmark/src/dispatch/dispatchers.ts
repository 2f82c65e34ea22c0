import type { IncomingMessage, ServerResponse } from "node:http";
import service, { ServiceRouter } from "@servicekit/service";
import { type RequestHandler, Router } from "express";
import { makeHandWrittenApp } from "../hand-written/make-hand-written-app.js";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** Takes one request through the routes, without a network. */
export type Dispatch = (url: string) => void;

/** Makes a dispatcher of routes that all have one handler. */
export type MakeDispatcher = (paths: readonly string[], handler: RequestHandler) => Dispatch | Promise<Dispatch>;

type Listener = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

export type DispatcherName = "ServiceRouter" | "express.Router" | "service" | "Express application";

export const dispatchers: Readonly<Record<DispatcherName, MakeDispatcher>> = {
  /** A `ServiceRouter` by itself; body and query stay as they are. */
  ServiceRouter: (paths, handler) => {
    const router = ServiceRouter();
    for (const path of paths) router.get({ path, bodyParser: false, queryParser: false }, handler);
    return dispatchWith(router as unknown as Listener, {}, {});
  },

  "express.Router": (paths, handler) => {
    const router = Router();
    for (const path of paths) router.get(path, handler);
    return dispatchWith(router as unknown as Listener, {}, {});
  },

  /** A whole service, its global steps included. */
  service: async (paths, handler) => {
    const router = ServiceRouter();
    for (const path of paths) router.get({ path }, handler);
    const { app } = await service.create({ use: [router], middlewares: sameMiddlewares });
    return dispatchWith(app as unknown as Listener, app.request, app.response);
  },

  /** An Express application with the same global middlewares. */
  "Express application": (paths, handler) => {
    const router = Router();
    for (const path of paths) router.get(path, handler);
    const app = makeHandWrittenApp();
    app.use(router);
    return dispatchWith(app as unknown as Listener, app.request, app.response);
  },
};

function dispatchWith(listener: Listener, requestPrototype: object, responsePrototype: object): Dispatch {
  const Request = withPrototype<IncomingMessage>(fillRequest, requestPrototype);
  const Response = withPrototype<ServerResponse>(fillResponse, responsePrototype);
  const fail = (error?: unknown): void => {
    throw error ?? new Error("No route was found.");
  };
  return (url) => listener(new Request(url), new Response(url), fail);
}

/** As much of a message as routing touches. It has its prototype from the start, as with the service's own server. */
function withPrototype<Message>(
  fill: (this: Record<string, unknown>, url: string) => void,
  prototype: object,
): new (
  url: string,
) => Message {
  function FakeMessage(this: Record<string, unknown>, url: string): void {
    fill.call(this, url);
  }
  FakeMessage.prototype = prototype;
  return FakeMessage as unknown as new (
    url: string,
  ) => Message;
}

function fillRequest(this: Record<string, unknown>, url: string): void {
  this.method = "GET";
  this.url = url;
  this.headers = noHeaders;
  this.socket = noSocket;
}

function fillResponse(this: Record<string, unknown>): void {
  this.setHeader = setNothing;
  this.once = endAtOnce;
  this.on = endAtOnce;
}

const noHeaders = Object.freeze({});
const setNothing = (): void => {};
/** The answer has ended before it began, so that nothing waits for it. */
const endAtOnce = (_event: string, listener: () => void): void => listener();
const noSocket = Object.freeze({ setTimeout: setNothing, on: setNothing, off: setNothing });
