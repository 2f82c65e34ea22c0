import type { Response } from "express";
import { uploadErrors } from "../errors.js";
import { onResponse } from "./response-begins.js";

/**
 * A signal that is aborted if a request ends before its handler: the client has disconnected, or another part has
 * responded, such as a time limit (contract C35, C59).
 */
export function requestEnd(response: Response): AbortSignal {
  const over = new AbortController();
  const end = (): void => over.abort(uploadErrors.UploadAborted());
  if (response.headersSent || response.destroyed) end();
  else {
    onResponse(response, end);
    response.once("close", end);
  }
  return over.signal;
}
