import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestHandler } from "express";

// By name it would be slow to load: see make-server of router.
const http = process.getBuiltinModule("node:http");

/**
 * A middleware that sets the same headers for every request, as one that sets those which it has set once: it is asked at
 * start what it would say to a request without an `Origin`. Where its options hold a function it stays as it is, since a
 * function may look at the request; where an answer has a `Vary` to add to, it is asked again. It costs least as the first that
 * sets a header: then all of them are set at once.
 *
 * @param handler is done in the turn in which it is called
 * @param options what it was made with
 */
export function setOnce(handler: RequestHandler, options: unknown): RequestHandler {
  if (holdsFunction(options)) return handler;
  const request = new http.IncomingMessage(new Socket());
  request.method = "GET";
  request.url = "/";
  // Node's types know the last of these methods of requests that are sent only.
  const response = new http.ServerResponse(request) as ServerResponse & { getRawHeaderNames(): string[] };
  response.setHeader(poweredBy, "Express");
  let isDone = false;
  handler(request as never, response as never, (error?: unknown) => {
    isDone = error === undefined;
  });
  if (!isDone) return handler;
  const takesPoweredBy = !response.hasHeader(poweredBy);
  response.removeHeader(poweredBy);
  const headers: Headers = response.getRawHeaderNames().map((name) => [name, response.getHeader(name) as string]);
  const setsAtOnce = isRecordKnown(headers);
  const adds = headers.some(([name]) => name.toLowerCase() === "vary");
  return function setHeaders(given, answer, next) {
    if (adds && answer.hasHeader("vary")) return handler(given, answer, next);
    if (setsAtOnce && (answer as unknown as Recorded)[recordKey] === null) {
      (answer as unknown as Recorded)[recordKey] = makeRecord(headers);
    } else {
      if (takesPoweredBy) answer.removeHeader(poweredBy);
      for (const [name, value] of headers) answer.setHeader(name, value);
    }
    next();
  };
}

const poweredBy = "X-Powered-By";

type Headers = readonly (readonly [name: string, value: string])[];

/** Where Node keeps the headers that an answer has: `null`, or each with its name as it was written, by its name in small letters. */
const recordKey =
  Object.getOwnPropertySymbols(new http.OutgoingMessage()).find(({ description }) => description === "kOutHeaders") ??
  Symbol("unknown");

type Recorded = Record<typeof recordKey, object | null>;

/** Not `null`: objects without a prototype are slow. */
const nothing = Object.freeze(Object.create(null));

/** What `setHeader` makes of headers, without judging names and values that have been judged. */
function makeRecord(headers: Headers): object {
  const record = Object.create(nothing) as Record<string, [string, string]>;
  for (const [name, value] of headers) record[name.toLowerCase()] = [name, value];
  return record;
}

/** Whether this Node writes the same bytes for headers that are set at once; those of one name stay as they are. */
function isRecordKnown(headers: Headers): boolean {
  const write = (set: (answer: ServerResponse) => void): string => {
    const answer = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    answer.sendDate = false;
    set(answer);
    answer
      .setHeader("X-One", "1")
      .appendHeader("x-one", "2")
      .removeHeader(headers[0]?.[0] ?? "X-None");
    const seen = JSON.stringify([answer.getHeaders(), answer.getHeaderNames(), answer.hasHeader("constructor")]);
    return seen + (answer.writeHead(200) as ServerResponse & { _header: string })._header;
  };
  try {
    return (
      write((answer) => {
        if ((answer as unknown as Recorded)[recordKey] !== null) throw new TypeError("Headers are kept elsewhere.");
        (answer as unknown as Recorded)[recordKey] = makeRecord(headers);
      }) ===
      write((answer) => {
        for (const [name, value] of headers) answer.setHeader(name, value);
      })
    );
  } catch {
    return false;
  }
}

/** Whether options have a function in them. */
export function holdsFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsFunction);
}
