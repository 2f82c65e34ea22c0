import type { SeenModels } from "@servicekit/orm";
import type { Operation } from "@servicekit/resource";
import type { Request, Response } from "express";
import { accessOf } from "../access/request-access.js";
import { shownOfWrite } from "../access/shown-of-write.js";
import { addModelState, modelLocals, modelState } from "../request-state.js";
import type { OperationContext } from "./run-operation.js";

/**
 * Writes rows of which nobody but the sender wants to know, as the JSON of each: no rule has to look at them, and all that
 * the caller sees of them is shown.
 *
 * @param write `undefined` where rows must be written instead: nothing was written
 * @returns whether they were written
 */
export async function writtenJson(
  operation: Operation,
  { outside, resource, isSentAsRead }: OperationContext,
  request: Request,
  response: Response,
  write: (seen: SeenModels) => Promise<readonly string[] | undefined>,
): Promise<boolean> {
  if (!isSentAsRead || modelState(request).left !== undefined) return false;
  if ((await shownOfWrite(request, resource, operation, [], outside)) !== undefined) return false;
  const rows = await write({ model: resource.model, models: accessOf(request).view.models });
  if (rows === undefined) return false;
  addModelState(request, { json: `[${rows.join(",")}]` });
  modelLocals(response).meta = { count: rows.length };
  return true;
}
