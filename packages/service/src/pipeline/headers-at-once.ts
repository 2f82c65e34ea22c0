import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

// By name it would be slow to load: see make-server of router.
const http = process.getBuiltinModule("node:http");

/** Headers with one text each, in their order. */
export type ConstantHeaders = readonly (readonly [name: string, value: string])[];

/** Where Node keeps the headers that an answer has: `null`, or each with its name as it was written, by its name in small letters. */
const recordKey =
  Object.getOwnPropertySymbols(new http.OutgoingMessage()).find(({ description }) => description === "kOutHeaders") ??
  Symbol("unknown");

type Recorded = Record<typeof recordKey, object | null>;

/** Not `null`: objects without a prototype are slow. */
const nothing = Object.freeze(Object.create(null));

/**
 * Makes what sets headers of an answer all at once, without judging names and values that `setHeader` has judged before: `false`
 * where the answer has headers already, and nothing was set.
 *
 * @returns `undefined` where this Node would not write the same bytes
 */
export function headersAtOnce(headers: ConstantHeaders): ((answer: ServerResponse) => boolean) | undefined {
  const entries = headers.map(([name, value]) => [name.toLowerCase(), name, value] as const);
  const set = (answer: ServerResponse): boolean => {
    const recorded = answer as unknown as Recorded;
    if (recorded[recordKey] !== null) return false;
    const record = Object.create(nothing) as Record<string, [name: string, value: string]>;
    // Lists of its own: a header that is appended to is changed in place.
    for (const [key, name, value] of entries) record[key] = [name, value];
    recorded[recordKey] = record;
    return true;
  };
  return writesTheSame(headers, set) ? set : undefined;
}

/** Whether an answer whose headers were set at once is read, changed and written as one with each of them set. */
function writesTheSame(headers: ConstantHeaders, setAtOnce: (answer: ServerResponse) => boolean): boolean {
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
  const setEach = (answer: ServerResponse): void => {
    for (const [name, value] of headers) answer.setHeader(name, value);
  };
  try {
    return write(setAtOnce) === write(setEach);
  } catch {
    return false;
  }
}
