import { isHttpError } from "@servicekit/core";
import { type Database } from "@servicekit/prisma";
import { databaseError, type ErrorContext } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { hideInErrors } from "../access/hide-in-errors.js";
import { accessOf } from "../access/request-access.js";
import type { Operation } from "../resource/config/operation.js";
import type { Resource } from "../resource/resource.js";

/**
 * A hook whose database errors contain only what the caller may see, because it may write to any model (contract C57).
 * Other errors are the hook's own and pass unchanged.
 */
export function hidingHook(
  hook: RequestHandler,
  operation: Operation,
  { model }: Resource,
  { models, exposeRaisedMessages }: Database,
): RequestHandler {
  const act = (/^(create|update|delete)/.exec(operation)?.[0] ?? "read") as ErrorContext["operation"];
  return (request, response, next) =>
    hook(request, response, (error?: unknown) => {
      const known = isHttpError(error) ? error : databaseError(error, { models, exposeRaisedMessages, operation: act });
      if (known === undefined) return next(error);
      const shown = hideInErrors(known, model, accessOf(request).view);
      next(shown === known ? error : shown);
    });
}
