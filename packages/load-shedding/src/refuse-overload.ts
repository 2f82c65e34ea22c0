import type { IncomingMessage, ServerResponse } from "node:http";
import { httpErrors, problemMediaType, toProblemBody } from "@servicekit/errors";
import { sendRefusal } from "@servicekit/router";
import type { RequestHandler } from "express";

/** What a refusal needs to know. */
export interface RefusalOptions {
  /** What a browser needs to show the answer to a page of another origin. */
  readonly cors: readonly RequestHandler[];
}

const headers = ["Retry-After", "2", "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const;
const error = httpErrors.Overloaded();

/**
 * Makes what answers 503 to a request that nobody has looked at (contract C70). It has no line in the log and no span, and no
 * id of its own: the cheaper it is, the more is left for the requests that are let in.
 */
export function makeRefusal({ cors }: RefusalOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.origin !== undefined) {
      for (const allow of cors) allow(request as never, response as never, () => undefined);
      // A preflight has its answer.
      if (response.writableEnded) return;
    }
    const text = JSON.stringify(toProblemBody(error, { instance: pathOf(request) }));
    if (request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined) {
      for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
      sendRefusal(request, response, { status: 503, contentType: problemMediaType, text });
      return;
    }
    const length = Buffer.byteLength(text);
    response.writeHead(503, [...headers, "Content-Type", problemMediaType, "Content-Length", `${length}`]).end(text);
  };
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
