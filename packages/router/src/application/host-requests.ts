import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request } from "express";

type Handle = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** What is known of an application that another one may have mounted. */
export interface HostRequests {
  /** Whether another application hands a request to this one, and takes back what this one hands on. */
  isFromHost(request: IncomingMessage): boolean;
  /** The path at which the host has mounted this application; empty where it stands alone. */
  mountPath(): string;
}

/**
 * Tells the requests that a host hands to an application from those of a server of its own, which have nobody behind them.
 * Call it before the first request.
 */
export function watchHost(app: Express): HostRequests {
  const fromHost = new WeakSet<IncomingMessage>();
  let seen: string | undefined;
  const { handle } = app as unknown as { handle: Handle };
  const watched: Handle = function watched(request, response, next) {
    if (next !== undefined) {
      fromHost.add(request);
      // A router of the host's says it only with a request.
      seen ??= (request as Request).baseUrl;
    }
    handle.call(app, request, response, next);
  };
  Object.assign(app, { handle: watched });
  return { isFromHost: (request) => fromHost.has(request), mountPath: () => seen ?? app.path() };
}
