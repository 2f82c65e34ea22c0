import type { ErrorRequestHandler } from "express";

/** Combines several error handlers, as Express runs them: each gets what the previous one has passed on or thrown. */
export function composeErrorHandlers(handlers: readonly ErrorRequestHandler[]): ErrorRequestHandler {
  return function handleError(first: unknown, request, response, next) {
    let at = 0;
    const step = (error: unknown): void => {
      const handler = handlers[at++];
      if (handler === undefined) {
        next(error);
        return;
      }
      try {
        const result: unknown = handler(error, request, response, (passed?: unknown) => step(passed ?? error));
        if (result instanceof Promise) result.catch((reason: unknown) => step(reason ?? error));
      } catch (thrown) {
        step(thrown ?? error);
      }
    };
    step(first);
  };
}
