import { httpErrors } from "@servicekit/core";
import type { Model } from "@servicekit/prisma";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import type { Right } from "../resource/config/operation.js";
import { accessOf } from "./request-access.js";

/**
 * Checks the right that the route itself does not require: an upsert requires the right to create and to update.
 *
 * @throws {HttpError} 401 for an anonymous client, 403 for a caller without the right
 */
export async function requireRight(request: Request, model: Model, right: Right): Promise<void> {
  if ((await accessOf(request).may(model, right)) === true) return;
  throw callerOf(request) === undefined ? httpErrors.Unauthorized() : httpErrors.Forbidden();
}
