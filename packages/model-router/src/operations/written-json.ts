import type { SeenModels } from "@servicekit/prisma";
import type { Request, Response } from "express";
import { accessOf } from "../access/request-access.js";
import { shownOfWrite } from "../access/shown-of-write.js";
import { addModelState, modelLocals, modelState } from "../request-state.js";
import type { Operation } from "../resource/operation.js";
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
  context: OperationContext,
  request: Request,
  response: Response,
  write: (seen: SeenModels) => Promise<readonly string[] | undefined>,
): Promise<boolean> {
  const seen = await seenAsJson(operation, context, request);
  const rows = seen && (await write(seen));
  if (rows === undefined) return false;
  addModelState(request, { json: `[${rows.join(",")}]` });
  modelLocals(response).meta = { count: rows.length };
  return true;
}

/** The models by which written rows are told as JSON; `undefined` where somebody has to look at the rows. */
export async function seenAsJson(
  operation: Operation,
  { outside, resource, isSentAsRead }: OperationContext,
  request: Request,
): Promise<SeenModels | undefined> {
  if (!isSentAsRead || modelState(request).left !== undefined) return undefined;
  if ((await shownOfWrite(request, resource, operation, [], outside)) !== undefined) return undefined;
  return { model: resource.model, models: accessOf(request).view.models };
}
