import { composeHandlers } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";

/**
 * Runs handlers one after another. It rejects with the first error, and never settles if a handler responds, which ends
 * the request.
 */
export function runSteps(handlers: readonly RequestHandler[], request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    composeHandlers(handlers)(request, response, (error?: unknown) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
