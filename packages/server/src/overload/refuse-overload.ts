import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { httpErrors, toProblemBody } from "@servicekit/core";
import { problemMediaType } from "@servicekit/core/internal";
import { sendRefusal } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { RequestTarget } from "./read-whole-request.js";

/** What a refusal needs to know. */
export interface RefusalOptions {
  /** What a browser needs to show the answer to a page of another origin. */
  readonly cors: readonly RequestHandler[];
}

/** What a refusal without an object of the request needs to know. */
export interface UnreadRefusalOptions {
  /** Whose connections they are. */
  readonly server: () => Server | undefined;
  /** Whether each answer must be the last on its connection. */
  readonly isEnding: () => boolean;
}

const headers = ["Retry-After", "2", "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const;
const head = [...headers, "Content-Type", problemMediaType, "Content-Length"];

/** The body before and behind the path of the request. */
const [beforePath = "", behindPath = ""] = JSON.stringify(
  toProblemBody(httpErrors.Overloaded(), { instance: "\n" }),
).split('"\\n"');
const bytesBesidePath = Buffer.byteLength(beforePath + behindPath);

/**
 * Makes what answers 503 to a request that nobody has looked at (contract C70). It has no line in the log and no span, and no
 * id of its own, and its body is made but for the path: the cheaper it is, the more is left for the requests that are let in.
 */
export function makeRefusal({ cors }: RefusalOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { hasBody, hasOrigin } = lookAt(request.rawHeaders);
    if (hasOrigin) {
      for (const allow of cors) allow(request as never, response as never, () => undefined);
      // A preflight has its answer.
      if (response.writableEnded) return;
    }
    const path = JSON.stringify(pathOf(request));
    const text = `${beforePath}${path}${behindPath}`;
    if (hasBody) {
      for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? "", headers[at + 1] ?? "");
      sendRefusal(request, response, { status: 503, contentType: problemMediaType, text });
      return;
    }
    response.writeHead(503, [...head, `${bytesBesidePath + Buffer.byteLength(path)}`]).end(text);
  };
}

/**
 * Makes the same answer as the bytes of a message, to requests without an origin that nobody has read (contract C70); the
 * bytes are those of Node.
 */
export function makeUnreadRefusal({
  server,
  isEnding,
}: UnreadRefusalOptions): (request: RequestTarget) => string | undefined {
  let second = 0;
  let beforeLength = "";
  let behindLength = "";
  const renew = (now: number, { keepAliveTimeout }: Server): void => {
    second = now;
    const pairs = head.slice(0, -1).map((word, at) => (at % 2 === 0 ? `${word}: ` : `${word}\r\n`));
    const keepAlive = keepAliveTimeout > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1_000)}\r\n` : "";
    beforeLength = `HTTP/1.1 503 Service Unavailable\r\n${pairs.join("")}Content-Length: `;
    behindLength = `\r\nDate: ${new Date(now * 1_000).toUTCString()}\r\nConnection: keep-alive\r\n${keepAlive}\r\n`;
  };
  return (request) => {
    const serving = server();
    if (serving === undefined || isEnding()) return undefined;
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) renew(now, serving);
    const path = JSON.stringify(pathOf(request));
    return `${beforeLength}${bytesBesidePath + path.length}${behindLength}${beforePath}${path}${behindPath}`;
  };
}

/** What of the headers matters; the object of all of them, which Node makes when it is asked for, costs more than the answer. */
function lookAt(rawHeaders: readonly string[]): { readonly hasBody: boolean; readonly hasOrigin: boolean } {
  let [hasBody, hasOrigin] = [false, false];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    // Most names are told by their length.
    if (name.length === 6) hasOrigin ||= name.toLowerCase() === "origin";
    else if (name.length === 14) hasBody ||= name.toLowerCase() === "content-length";
    else if (name.length === 17) hasBody ||= name.toLowerCase() === "transfer-encoding";
  }
  return { hasBody, hasOrigin };
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: RequestTarget): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
