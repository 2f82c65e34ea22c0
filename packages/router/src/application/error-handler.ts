import { type HttpError, isHttpError, toProblemBody } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import type { ErrorRequestHandler, Request, Response } from "express";
import { toHttpError } from "../body/foreign-errors.js";
import { requestPath } from "../request/request-path.js";
import { isAnswerEnded } from "../response/answer-ended.js";
import { jsonFormatOf, toJsonText } from "../response/json-format.js";
import { sendRefusal } from "../response/send-refusal.js";

/** What the error handler needs. */
export interface ErrorHandlerSettings {
  /** Is told every error of the server's own (5xx), with what really happened, and errors after the answer began. */
  readonly log?: (error: unknown, request: Request) => void;
  /** Translates errors of libraries that this package does not know; `undefined` for every other. */
  readonly translate?: (error: unknown, request: Request) => unknown;
}

/**
 * The last error handler: every error becomes a problem body (contract C3). What is no `HttpError` and no known error of
 * a library is a 500 without its text. What was set for the answer that did not come is taken back: a cookie or a link
 * of an act that failed must not go out. An answer that is still being written is cut, since it cannot be mended; one
 * that is complete is sent to its end. A client that has gone away gets nothing and makes no noise.
 */
export function makeErrorHandler({ log, translate }: ErrorHandlerSettings = {}): ErrorRequestHandler {
  const handleError: ErrorRequestHandler = (thrown: unknown, request, response, _next) => {
    const error = isHttpError(thrown) ? thrown : (translate?.(thrown, request) ?? thrown);
    const gone = request.socket?.destroyed === true;
    const problem = toHttpError(error);
    if (!isAbort(thrown, gone) && (problem.status >= 500 || response.headersSent)) log?.(error, request);
    if (gone || response.headersSent) {
      if (!isAnswerEnded(response)) response.destroy();
      return;
    }
    dropAnswerHeaders(response);
    for (const [name, value] of Object.entries(problem.headers ?? {})) response.setHeader(name, value);
    const { status } = problem;
    sendRefusal(request, response, {
      status,
      contentType: problemMediaType,
      text: problemText(problem, request, response),
    });
  };
  return handleError;
}

/** Headers that belonged to the answer that did not come. */
const ofTheAnswer: ReadonlySet<string> = new Set([
  "accept-ranges",
  "age",
  "content-type",
  "content-length",
  "content-encoding",
  "content-disposition",
  "content-language",
  "content-location",
  "content-range",
  "etag",
  "expires",
  "last-modified",
  "link",
  "location",
  "refresh",
  "set-cookie",
  "trailer",
  "transfer-encoding",
]);

function dropAnswerHeaders(response: Response): void {
  for (const name of response.getHeaderNames()) if (ofTheAnswer.has(name)) response.removeHeader(name);
  // What keeps caches away from an answer keeps them away from its error too.
  const caching = response.getHeader("cache-control");
  if (caching !== undefined && !/no-store|no-cache|private/i.test(String(caching))) {
    response.removeHeader("cache-control");
  }
}

const connectionCodes: ReadonlySet<unknown> = new Set([
  "ECONNABORTED",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/** What happens when a client goes away is no fault of the server's; anything else that happens then still is. */
function isAbort(error: unknown, gone: boolean): boolean {
  const { type, code } = (typeof error === "object" && error !== null ? error : {}) as {
    type?: unknown;
    code?: unknown;
  };
  return type === "request.aborted" || (gone && connectionCodes.has(code));
}

function problemText(problem: HttpError, request: Request, response: Response): string {
  const { id } = request as { id?: unknown };
  const instance = request.originalUrl?.split("?", 1)[0] ?? requestPath(request) ?? "/";
  const body = toProblemBody(problem, { instance, requestId: typeof id === "string" ? id : undefined });
  return toJsonText(body, jsonFormatOf(response));
}
