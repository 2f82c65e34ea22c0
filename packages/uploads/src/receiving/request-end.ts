import type { Response } from "express";
import { uploadErrors } from "../errors.js";
import { onAnswer } from "./answer-begins.js";

/**
 * A signal that is aborted when a request is over before its handler is: left by its client, or answered by someone
 * else, such as a time limit. What is done for it then is for nobody (contract C35, C59).
 */
export function requestEnd(response: Response): AbortSignal {
  const over = new AbortController();
  const end = (): void => over.abort(uploadErrors.UploadAborted());
  if (response.headersSent || response.destroyed) end();
  else {
    onAnswer(response, end);
    response.once("close", end);
  }
  return over.signal;
}
