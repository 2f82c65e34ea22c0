import type { RequestHandler } from "express";

/**
 * Combines several handlers: each runs when the previous one has called `next`; the first error goes to the outer
 * `next`.
 */
export function composeHandlers(handlers: readonly RequestHandler[]): RequestHandler {
  if (handlers.length === 0) return (_request, _response, next) => next();
  return (request, response, next) => {
    let at = 0;
    const step = (error?: unknown): void => {
      if (error) {
        next(error);
        return;
      }
      const handler = handlers[at++];
      if (handler === undefined) {
        next();
        return;
      }
      try {
        const result: unknown = handler(request, response, step);
        if (result instanceof Promise) {
          result.then(undefined, (reason: unknown) =>
            next(reason ?? new Error("A handler rejected without a reason.")),
          );
        }
      } catch (thrown) {
        next(thrown);
      }
    };
    step();
  };
}
