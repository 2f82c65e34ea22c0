import { httpErrors } from "@servicekit/core";
import type { RequestHandler } from "express";
import { formErrors } from "./form-errors.js";
import { makeFormReader } from "./read-form.js";
import { toBytes } from "./to-bytes.js";

/** How a multipart form is read. */
export interface MultipartReading {
  /** All text fields together, in bytes or as text. @default "1mb" */
  readonly limit?: number | string | undefined;
}

/** Files of a form whose files are dropped. */
const maxFiles = 20;

/**
 * A handler that reads the text fields of a multipart form into `request.body`; files are dropped.
 *
 * @throws {HttpError} 400 for a malformed form, 413 for one over the limits
 */
export function readMultipart({ limit = "1mb" }: MultipartReading): RequestHandler {
  const readForm = makeFormReader({
    maxFiles,
    maxFieldBytes: toBytes(limit),
    tooManyFiles: () => formErrors.FormTooLarge("The form has too many files."),
    aborted: (cause) => httpErrors.BadRequest("The request was aborted.", { cause }),
  });
  return async (request, response, next) => {
    request.body = await readForm(request, response);
    next();
  };
}
