import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

// By name it would be slow to load: see make-server.
const http = process.getBuiltinModule("node:http");
const { setHeader } = http.OutgoingMessage.prototype;

/** Headers with one text each, in their order. */
export type ConstantHeaders = readonly (readonly [name: string, value: string])[];

/** What Node keeps of the headers that an answer has: each with its name as it was written, by its name in small letters. */
type HeaderRecord = Record<string, readonly [name: string, value: string | number]>;

/**
 * Such a record. V8 gives an object that a constructor makes room for about twenty properties; one without a constructor becomes a
 * hash table at the seventeenth, and most answers have as many.
 */
const OutHeaders = function OutHeaders() {} as unknown as new () => HeaderRecord;
// Not `null`: objects without a prototype are slow.
OutHeaders.prototype = Object.freeze(Object.create(null));

/** Under which key an answer of this Node has its record, which is `null` before its first header; no answer has another. */
const recordKey = findRecordKey() ?? Symbol("unknown");

/** An answer that may have a record. */
type Recorded = Record<typeof recordKey, HeaderRecord | null | undefined>;

/** The record in which headers may be set without Node; `undefined` where only `setHeader` may set them. */
function recordOf(answer: ServerResponse): HeaderRecord | undefined {
  // Whoever has put a method of their own in its place is told of each header.
  if (answer.setHeader !== setHeader || answer.headersSent) return undefined;
  const owner = answer as unknown as Recorded;
  if (owner[recordKey] === null) owner[recordKey] = new OutHeaders();
  return owner[recordKey];
}

/**
 * Makes what sets a header of which all values are known to be good: Node judges name and value each time.
 *
 * @param name as it is written
 * @returns sets it, as `setHeader` does but for that judgement
 */
export function knownHeader(name: string): (answer: ServerResponse, value: string | number) => void {
  http.validateHeaderName(name);
  const key = name.toLowerCase();
  return (answer, value) => {
    const record = recordOf(answer);
    if (record === undefined) answer.setHeader(name, value);
    else record[key] = [name, value];
  };
}

/** What is set for nearly every answer, each by its own name: V8 writes to a place that it knows. */
export function setContentType(answer: ServerResponse, value: string): void {
  const record = recordOf(answer);
  if (record === undefined) answer.setHeader("Content-Type", value);
  else record["content-type"] = ["Content-Type", value];
}

export function setContentLength(answer: ServerResponse, value: number): void {
  const record = recordOf(answer);
  if (record === undefined) answer.setHeader("Content-Length", value);
  else record["content-length"] = ["Content-Length", value];
}

/** @param value made by us: no text of a client */
export function setEtag(answer: ServerResponse, value: string): void {
  const record = recordOf(answer);
  if (record === undefined) answer.setHeader("ETag", value);
  else record.etag = ["ETag", value];
}

/**
 * Makes what sets headers of an answer that has none yet, all at once.
 *
 * @param headers names and values that `setHeader` takes
 * @returns sets them; `false` where the answer has headers already or only `setHeader` may set them, and nothing was set
 */
export function headersAtOnce(headers: ConstantHeaders): (answer: ServerResponse) => boolean {
  const entries = headers.map(([name, value]) => [name.toLowerCase(), name, value] as const);
  return (answer) => {
    const record = (answer as unknown as Recorded)[recordKey] === null ? recordOf(answer) : undefined;
    if (record === undefined) return false;
    // Lists of its own: a header that is appended to is changed in place.
    for (const [key, name, value] of entries) record[key] = [name, value];
    return true;
  };
}

/** The key, where this Node reads, changes and writes headers of such a record as it does those that `setHeader` has set. */
function findRecordKey(): symbol | undefined {
  const keys = Object.getOwnPropertySymbols(new http.OutgoingMessage());
  const key = keys.find(({ description }) => description === "kOutHeaders");
  if (key === undefined) return undefined;
  const sample: readonly (readonly [string, string | number])[] = [
    ["Content-Security-Policy", "default-src 'self'"],
    ["X-Request-Id", "1"],
    ["ETag", '"1"'],
    ["Content-Length", 0],
  ];
  const write = (set: (answer: ServerResponse) => void): string => {
    const answer = new http.ServerResponse(new http.IncomingMessage(new Socket()));
    answer.sendDate = false;
    set(answer);
    answer.setHeader("X-One", "1").appendHeader("x-one", "2").appendHeader("x-request-id", "2").removeHeader("ETag");
    const seen = JSON.stringify([answer.getHeaders(), answer.getHeaderNames(), answer.hasHeader("constructor")]);
    return seen + (answer.writeHead(200) as ServerResponse & { _header: string })._header;
  };
  const setEach = (answer: ServerResponse): void => {
    for (const [name, value] of sample) answer.setHeader(name, value);
  };
  const record = (answer: ServerResponse): void => {
    const made = new OutHeaders();
    for (const [name, value] of sample) made[name.toLowerCase()] = [name, value];
    Object.assign(answer, { [key]: made });
  };
  try {
    return write(record) === write(setEach) ? key : undefined;
  } catch {
    return undefined;
  }
}
