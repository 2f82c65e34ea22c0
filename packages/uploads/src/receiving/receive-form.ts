import { httpErrors } from "@servicekit/core";
import { type FormReader, makeFormReader } from "@servicekit/router/internal";
import type { Request } from "express";
import { uploadErrors } from "../errors.js";
import { maxNameDepth, type UploadPlan } from "./upload-plan.js";

/** File fields that a browser sends empty; they are no files. */
const emptyFiles = 20;

/** Bytes of the text fields of a form. */
const fieldBytes = 1024 * 1024;

/** Makes the reader of the forms of a plan. */
export function makeUploadReader({ mostFiles, mostBytes }: Pick<UploadPlan, "mostFiles" | "mostBytes">): FormReader {
  const readForm = makeFormReader({
    maxFiles: mostFiles + emptyFiles,
    maxFileSize: mostBytes,
    maxBytes: mostFiles * mostBytes + 4 * fieldBytes,
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
    const message = "A file is sent as multipart/form-data, not compressed.";
    const path = isForm ? "/content-encoding" : "/content-type";
    const errors = [{ in: "headers", path, code: "UnsupportedMediaType", message }] as const;
    throw httpErrors.UnsupportedMediaType(message, { errors });
  }
  if (request.readableDidRead) throw new Error("The form was read before the step of uploads; no parser may take it.");
}
