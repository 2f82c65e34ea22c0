import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request } from "express";

type Handle = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** The mounting of an application in another one. */
export interface HostRequests {
  /** Whether another application passes requests to this one, and handles those that this one passes on. */
  isFromHost(request: IncomingMessage): boolean;
  /** The mount path in the host; empty for a standalone application. */
  mountPath(): string;
}

/**
 * Distinguishes the requests of a host application from those of the service's own server. Call it before the first
 * request.
 */
export function watchHost(app: Express): HostRequests {
  const fromHost = new WeakSet<IncomingMessage>();
  let seen: string | undefined;
  const { handle } = app as unknown as { handle: Handle };
  const watched: Handle = function watched(request, response, next) {
    if (next !== undefined) {
      fromHost.add(request);
      // A router of the host is only known by its requests.
      seen ??= (request as Request).baseUrl;
    }
    handle.call(app, request, response, next);
  };
  Object.assign(app, { handle: watched });
  return { isFromHost: (request) => fromHost.has(request), mountPath: () => seen ?? app.path() };
}
