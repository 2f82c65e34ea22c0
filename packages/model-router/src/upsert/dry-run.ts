import type { NextFunction, Request, RequestHandler, Response } from "express";
import { addModelState, modelLocals } from "../request/request-state.js";

/** Sends the result of a dry run: the number of rows that would be written, and for an upsert the status of each. */
export function sendDryRun(send: RequestHandler, request: Request, response: Response, next: NextFunction): void {
  const { meta } = modelLocals(response);
  Object.assign(modelLocals(response), { data: undefined, meta: { ...meta, dryRun: true } });
  addModelState(request, { shown: undefined });
  response.status(200);
  send(request, response, next);
}
