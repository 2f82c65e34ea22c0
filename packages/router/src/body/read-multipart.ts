import type { Busboy, BusboyHeaders } from "@fastify/busboy";
import { httpErrors } from "@servicekit/core";
import { namesOf } from "@servicekit/core/internal";
import type { RequestHandler } from "express";
import { parseFields } from "./parse-fields.js";
import { toBytes } from "./to-bytes.js";

const limits = { fieldNameSize: 200, fields: 200, files: 20, parts: 220, headerPairs: 50, fileSize: 1 } as const;

/** How a multipart form is read. */
export interface MultipartReading {
  /** All text fields together, in bytes or as text. @default "1mb" */
  readonly limit?: number | string | undefined;
}

/**
 * A handler that reads the text fields of a multipart form into `request.body`; files are read over and dropped.
 *
 * @throws {HttpError} 400 for a malformed form, 413 for one over the limits
 */
export function readMultipart({ limit = "1mb" }: MultipartReading): RequestHandler {
  const fieldSize = toBytes(limit);
  return async (request, _response, next) => {
    // Only forms need it.
    const { Busboy: Form } = namesOf(await import("@fastify/busboy"));
    if (request.destroyed) {
      next(httpErrors.BadRequest("The request was aborted."));
      return;
    }
    const fields: [string, string][] = [];
    let done = false;
    const finish = (error?: unknown): void => {
      if (done) return;
      done = true;
      request.unpipe(form);
      if (error === undefined) request.resume();
      next(error);
    };
    const tooLarge = (what: string) => () => finish(httpErrors.PayloadTooLarge(`The form has too many ${what}.`));
    let form: InstanceType<typeof Busboy>;
    try {
      form = new Form({ headers: request.headers as BusboyHeaders, limits: { ...limits, fieldSize } });
    } catch {
      next(httpErrors.BadRequest("The content type of the form names no boundary."));
      return;
    }
    let size = 0;
    form.on("field", (name, value, nameTruncated, valueTruncated) => {
      size += value.length;
      if (size > fieldSize) finish(httpErrors.PayloadTooLarge("The fields of the form are too large together."));
      else if (nameTruncated || valueTruncated) finish(httpErrors.PayloadTooLarge("A field of the form is too large."));
      else fields.push([name, value]);
    });
    form.on("file", (_name, stream) => stream.resume());
    form.on("fieldsLimit", tooLarge("fields"));
    form.on("filesLimit", tooLarge("files"));
    form.on("partsLimit", tooLarge("parts"));
    form.on("error", () => finish(httpErrors.BadRequest("The form is malformed.")));
    form.on("finish", () => {
      if (done) return;
      try {
        request.body = parseFields(fields, { extended: true, parameterLimit: limits.fields });
      } catch (error) {
        finish(error);
        return;
      }
      finish();
    });
    // A whole request closes too, maybe before the form is read to its end.
    request.once("close", () => {
      if (!request.complete) finish(httpErrors.BadRequest("The request was aborted."));
    });
    request.pipe(form);
  };
}
