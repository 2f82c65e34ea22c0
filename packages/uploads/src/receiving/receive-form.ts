import { httpErrors } from "@servicekit/core";
import { type FormReader, makeFormReader } from "@servicekit/router/internal";
import type { Request } from "express";
import { uploadErrors } from "../errors.js";
import { maxNameDepth, type UploadPlan } from "./upload-plan.js";

/** File fields that a browser sends empty; they are not files. */
const emptyFiles = 20;

/** Bytes of the text fields of a form. */
const fieldBytes = 1024 * 1024;

/** Makes the reader of the forms of a plan. */
export function makeUploadReader({ maxFiles, maxBytes }: Pick<UploadPlan, "maxFiles" | "maxBytes">): FormReader {
  const readForm = makeFormReader({
    maxFiles: maxFiles + emptyFiles,
    maxFileSize: maxBytes,
    maxBytes: maxFiles * maxBytes + 4 * fieldBytes,
    maxFieldBytes: fieldBytes,
    maxDepth: maxNameDepth,
    tooManyFiles: () => uploadErrors.TooManyFiles(),
    aborted: (cause) => uploadErrors.UploadAborted(undefined, { cause }),
  });
  return async (request, response, files) => {
    checkRequest(request);
    return readForm(request, response, files);
  };
}

function checkRequest(request: Request): void {
  const encoding = request.headers["content-encoding"];
  const isForm = Boolean(request.is("multipart/form-data"));
  if (!isForm || (encoding !== undefined && encoding.toLowerCase() !== "identity")) {
    const message = "A file must be sent as multipart/form-data, uncompressed.";
    const path = isForm ? "/content-encoding" : "/content-type";
    const errors = [{ in: "headers", path, code: "UnsupportedMediaType", message }] as const;
    throw httpErrors.UnsupportedMediaType(message, { errors });
  }
  if (request.readableDidRead)
    throw new Error("The form was read before the upload step. Remove the parser before it.");
}
