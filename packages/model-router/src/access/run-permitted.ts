import type { Request, Response } from "express";
import type { Operation } from "../operations/operation.js";
import { type OperationContext, runOperation } from "../operations/run-operation.js";
import { modelLocals, modelState } from "../pipeline/model-request.js";
import type { Row } from "../values/to-json.js";
import { hideInErrors } from "./hide-in-errors.js";
import { accessOf, callersResource } from "./request-access.js";

/** Step 6 as the caller of the request may do it: with the resource that he sees, and with errors that name no more. */
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
    throw hideInErrors(error, resource.model, accessOf(request).view.models);
  }
  const { fill } = modelState(request);
  const { data } = modelLocals(response);
  if (fill !== undefined && data !== undefined) {
    await fill(Array.isArray(data) ? (data as readonly Row[]) : [data as Row], context.database);
  }
}
