import { type HttpError, httpErrors } from "@servicekit/core";
import type { Resource } from "./resource/resource.js";

/** The 412 of a conditional request (RFC 9110, section 15.5.13), which names the header. */
export function preconditionFailed(path: "/if-match" | "/if-none-match", told?: string): HttpError {
  const { message } = httpErrors.PreconditionFailed(told);
  return httpErrors.PreconditionFailed(told, {
    errors: [{ in: "headers", path, code: "PreconditionFailed", message }],
  });
}

/** The same 404 for every row that is not there. */
export function notFound(resource: Resource): HttpError {
  const message = `There is no ${resource.model.resource.replaceAll("-", " ")} with this id.`;
  const errors = [{ in: "params", path: "/id", code: "NotFound", message }] as const;
  return httpErrors.NotFound(message, { errors, stack: false });
}
