import type { SeenModels } from "@servicekit/prisma";
import type { Request } from "express";
import { accessOf } from "../access/request-access.js";
import { shownOfWrite } from "../access/shown-of-write.js";
import { modelState } from "../request/request-state.js";
import type { Operation } from "../resource/config/operation.js";
import type { OperationContext } from "./operation-context.js";

/** The models for the JSON of written rows; `undefined` if a rule, a view or a hook needs the rows. */
export async function seenAsJson(
  operation: Operation,
  { database, outside = database, resource, isSentAsRead }: OperationContext,
  request: Request,
): Promise<SeenModels | undefined> {
  if (!isSentAsRead || modelState(request).left !== undefined) return undefined;
  if ((await shownOfWrite(request, resource, operation, [], outside)) !== undefined) return undefined;
  return { model: resource.model, models: accessOf(request).view.models };
}
