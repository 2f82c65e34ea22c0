import { AsyncLocalStorage } from "node:async_hooks";
import type { Request, RequestHandler } from "express";

/** Returns the request for which the running code works. */
export interface RequestScope {
  /** Runs all later handlers of a request in its scope. */
  readonly handler: RequestHandler;
  /** The request of the running code; `undefined` outside of requests. */
  current(): Request | undefined;
  /** Runs a job in its scope, outside of requests. */
  inJob<T>(queue: string, work: () => T): T;
  /** The queue of the running job; `undefined` outside of jobs. */
  job(): string | undefined;
}

/** Creates a scope. */
export function makeRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<{ readonly request: Request } | { readonly queue: string }>();
  const current = (): { readonly request?: Request; readonly queue?: string } => storage.getStore() ?? {};
  return {
    handler: (request, _response, next) => storage.run({ request }, next),
    current: () => current().request,
    inJob: (queue, work) => storage.run({ queue }, work),
    job: () => current().queue,
  };
}
