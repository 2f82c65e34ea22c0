import type { IncomingMessage, ServerResponse } from "node:http";
import { httpErrors, toProblemBody } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import { sendRejection, sendStreamRetry } from "@servicekit/router/internal";
import type { RequestHandler } from "express";

/** Method and target of a request. */
export interface RequestTarget {
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
}

/** The settings of a rejection. */
export interface RejectionOptions {
  /** The headers with which a browser shows the response to a page of another origin. */
  readonly cors: readonly RequestHandler[];
  /** Whether a request comes from a client of events that connects again, which gives up after any status but 200. */
  readonly reconnects?: (request: IncomingMessage) => boolean;
}

const retryAfter = "2";
const headers = ["Retry-After", retryAfter, "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const;
const head = [...headers, "Content-Type", problemMediaType, "Content-Length"];

/** The body before and after the path of the request. */
const [beforePath = "", behindPath = ""] = JSON.stringify(
  toProblemBody(httpErrors.Overloaded(), { instance: "\n" }),
).split('"\\n"');
const bytesBesidePath = Buffer.byteLength(beforePath + behindPath);

/**
 * Returns a handler that rejects a request with 503 before any middleware runs (contract C70): without a log line, span
 * or request id, and with a body that is prepared except for the path. The cheaper a rejection, the more requests can
 * be served.
 */
export function makeRejection({ cors, reconnects }: RejectionOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { hasBody, hasOrigin, hasEventId } = relevantHeaders(request.rawHeaders);
    if (hasOrigin) {
      for (const allow of cors) allow(request as never, response as never, () => undefined);
      // A preflight gets its response.
      if (response.writableEnded) return;
    }
    if ((hasEventId || request.url?.includes("lastEventId=") === true) && reconnects?.(request) === true) {
      response.setHeader("Retry-After", retryAfter);
      sendStreamRetry(response, 503);
      return;
    }
    const path = JSON.stringify(pathOf(request));
    const text = `${beforePath}${path}${behindPath}`;
    if (hasBody) {
      for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
      sendRejection(request, response, { status: 503, contentType: problemMediaType, text });
      return;
    }
    response.writeHead(503, [...head, `${bytesBesidePath + Buffer.byteLength(path)}`]).end(text);
  };
}

/** The relevant headers; the object of all headers, which Node creates on access, costs more than the response. */
function relevantHeaders(rawHeaders: readonly string[]): {
  readonly hasBody: boolean;
  readonly hasOrigin: boolean;
  readonly hasEventId: boolean;
} {
  let [hasBody, hasOrigin, hasEventId] = [false, false, false];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // Most names differ in their length.
    if (name.length === 6) hasOrigin ||= name.toLowerCase() === "origin";
    else if (name.length === 13) hasEventId ||= name.toLowerCase() === "last-event-id";
    else if (name.length === 14) hasBody ||= name.toLowerCase() === "content-length";
    else if (name.length === 17) hasBody ||= name.toLowerCase() === "transfer-encoding";
  }
  return { hasBody, hasOrigin, hasEventId };
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: RequestTarget): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
