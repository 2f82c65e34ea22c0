import { type HttpError, httpErrors } from "@servicekit/core";
import type { Resource } from "./resource/resource.js";

/** The 412 of a conditional request (RFC 9110, section 15.5.13), which names the header. */
export function preconditionFailed(path: "/if-match" | "/if-none-match", detail?: string): HttpError {
  const { message } = httpErrors.PreconditionFailed(detail);
  return httpErrors.PreconditionFailed(detail, {
    errors: [{ in: "headers", path, code: "PreconditionFailed", message }],
  });
}

/** The same 404 for every change that the caller cannot see, of any row. */
export function changeNotFound(resource: Resource): HttpError {
  const message = `The history of this ${resource.model.resource.replaceAll("-", " ")} has no state with this id.`;
  const errors = [{ in: "params", path: "/changeId", code: "NotFound", message }] as const;
  return httpErrors.NotFound(message, { errors, stack: false });
}

/** The same 404 for every missing row. */
export function notFound(resource: Resource): HttpError {
  const message = `No ${resource.model.resource.replaceAll("-", " ")} has this id.`;
  const errors = [{ in: "params", path: "/id", code: "NotFound", message }] as const;
  return httpErrors.NotFound(message, { errors, stack: false });
}
