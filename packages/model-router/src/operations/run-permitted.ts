import type { Request, Response } from "express";
import { hideInErrors } from "../access/hide-in-errors.js";
import { accessOf, callersResource } from "../access/request-access.js";
import { shownOfWrite } from "../access/shown-of-write.js";
import { addModelState, modelLocals, modelState } from "../request/request-state.js";
import { type Operation, operations } from "../resource/config/operation.js";
import { type Row } from "../resource/values/to-json.js";
import { atOperation } from "./at-operation.js";
import type { OperationContext } from "./operation-context.js";
import { runOperation } from "./run-operation.js";

/**
 * Runs the operation with the permissions of the caller: with the caller's view of the resource, and with errors that
 * contain nothing else.
 */
export async function runPermitted(
  operation: Operation,
  context: OperationContext,
  request: Request,
  response: Response,
): Promise<void> {
  const resource = callersResource(request, context.resource);
  try {
    await runOperation[operation]({ ...context, resource }, request, response);
  } catch (error) {
    throw atOperation(hideInErrors(error, resource.model, accessOf(request).view), operation, request);
  }
  const { fill } = modelState(request);
  const { data } = modelLocals(response);
  if (data === undefined) return;
  const rows = Array.isArray(data) ? (data as readonly Row[]) : [data as Row];
  if (fill !== undefined) await fill(rows, context.database);
  if (operations[operation].method === "get") return;
  addModelState(request, { shown: await shownOfWrite(request, resource, operation, rows, context.database) });
}
