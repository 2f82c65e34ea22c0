import { type HttpError, isHttpError, toProblemBody } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import type { ErrorRequestHandler, Request, Response } from "express";
import { toHttpError } from "../body/foreign-errors.js";
import { matchOf } from "../pipeline/request-match.js";
import { inSentPlaces } from "../request/issue-places.js";
import { requestPath } from "../request/request-path.js";
import { jsonFormatOf, toJsonText } from "../response/json-format.js";
import { isResponseEnded } from "../response/response-ended.js";
import { sendRejection } from "../response/send-rejection.js";
import { acceptsEvents, isTemporary, sendStreamRetry } from "../response/stream-retry.js";

/** The options of the error handler. */
export interface ErrorHandlerSettings {
  /** Receives every server error (5xx) with its cause, and errors after the response has started. */
  readonly log?: (error: unknown, request: Request) => void;
  /** Translates errors of other libraries; `undefined` for unknown ones. */
  readonly translate?: (error: unknown, request: Request) => unknown;
}

/**
 * The last error handler: every error becomes a problem body (contract C3). Anything but an `HttpError` and known
 * library errors is a 500 without its text. Headers of the failed response are removed: a cookie or a link of a failed
 * action must not be sent. A started response is aborted, because it cannot be corrected; a complete one is sent to its
 * end. A disconnected client gets nothing, without a log line.
 */
export function makeErrorHandler({ log, translate }: ErrorHandlerSettings = {}): ErrorRequestHandler {
  const handleError: ErrorRequestHandler = (thrown: unknown, request, response, _next) => {
    const error = isHttpError(thrown) ? thrown : (translate?.(thrown, request) ?? thrown);
    const gone = request.socket?.destroyed === true;
    const problem = inSentPlaces(toHttpError(error), request);
    if (!isAbort(thrown, gone) && (problem.status >= 500 || response.headersSent)) log?.(error, request);
    if (gone || response.headersSent) {
      if (!isResponseEnded(response)) response.destroy();
      return;
    }
    dropResponseHeaders(response);
    for (const [name, value] of Object.entries(problem.headers ?? {})) response.setHeader(name, value);
    const { status } = problem;
    if (
      isTemporary(status) &&
      acceptsEvents(request) &&
      matchOf(request)?.route?.origin.reconnects?.(request) === true
    ) {
      sendStreamRetry(response, status);
      return;
    }
    sendRejection(request, response, {
      status,
      contentType: problemMediaType,
      text: problemText(problem, request, response),
    });
  };
  return handleError;
}

/** Headers of the response that failed. */
const responseHeaders: ReadonlySet<string> = new Set([
  "accept-ranges",
  "age",
  "cache-tag",
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
  "surrogate-key",
  "trailer",
  "transfer-encoding",
]);

function dropResponseHeaders(response: Response): void {
  for (const name of response.getHeaderNames()) if (responseHeaders.has(name)) response.removeHeader(name);
  // Headers that prevent caching of a response also apply to its error.
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

/** Errors caused by a disconnect are not server errors; any other is one even after a disconnect. */
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
