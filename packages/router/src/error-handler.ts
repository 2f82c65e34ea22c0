import { type HttpError, problemMediaType, toProblemBody } from "@servicekit/errors";
import type { ErrorRequestHandler, Request } from "express";
import { toHttpError } from "./foreign-errors.js";
import { requestPath } from "./request-path.js";
import { sendText } from "./send-json.js";

/** What the error handler needs. */
export interface ErrorHandlerSettings {
  /** Is told every error of the server's own (5xx), with what really happened, and errors after the answer began. */
  readonly log?: (error: unknown, request: Request) => void;
}

/**
 * The last error handler: every error becomes a problem body (contract C3). What is no `HttpError` and no known error of
 * a library is a 500 without its text. After the headers were sent the connection is cut, since the answer cannot be
 * mended; a client that has gone away gets nothing and makes no noise.
 */
export function makeErrorHandler({ log }: ErrorHandlerSettings = {}): ErrorRequestHandler {
  return function handleError(error: unknown, request, response, _next) {
    const gone = request.socket?.destroyed === true;
    const problem = toHttpError(error);
    if (!isAbort(error, gone) && (problem.status >= 500 || response.headersSent)) log?.(error, request);
    if (gone || response.headersSent) {
      response.destroy();
      return;
    }
    for (const name of response.getHeaderNames()) if (ofTheBody.has(name)) response.removeHeader(name);
    for (const [name, value] of Object.entries(problem.headers ?? {})) response.setHeader(name, value);
    sendText(response, problem.status, problemMediaType, problemText(problem, request));
  };
}

/** Headers that described the answer that did not come. */
const ofTheBody: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "content-disposition",
  "content-range",
  "etag",
  "last-modified",
  "transfer-encoding",
]);

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

function problemText(problem: HttpError, request: Request): string {
  const { id } = request as { id?: unknown };
  const instance = request.originalUrl?.split("?", 1)[0] ?? requestPath(request) ?? "/";
  return JSON.stringify(toProblemBody(problem, { instance, requestId: typeof id === "string" ? id : undefined }));
}
