import { recordEnd } from "@servicekit/router/internal";
import type { Response } from "express";
import type { StoredResponse } from "./keys/key-store.js";

/** Headers that belong to one connection, one time or one browser. */
const ownHeaders = new Set([
  ...["connection", "content-encoding", "content-length", "date", "keep-alive", "set-cookie", "trailer"],
  ...["transfer-encoding", "vary", "x-request-id"],
]);

/** The functions that end an observed response. */
export type OnResponse = (reply: StoredResponse) => Promise<void>;

/** An observed response. */
export interface WatchedResponse {
  /** The stored headers that were set later. */
  headers(): StoredResponse["headers"];
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Observes the response of a handler and delays its end until `onResponse` is done. Streamed parts are sent meanwhile.
 *
 * @param maxBytes the maximum body size that is stored
 */
export function watchResponse(response: Response, maxBytes: number, onResponse: OnResponse): WatchedResponse {
  const before = { ...response.getHeaders() };
  const holder = response as unknown as Record<"end" | "write" | "writeHead", Method>;
  const { end, write, writeHead } = holder;
  const chunks: Buffer[] = [];
  let length = 0;
  let isEnded = false;
  const collect = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, charsetOf(encoding)) : Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) chunks.length = 0;
    else chunks.push(bytes);
  };
  holder.writeHead = function (status, ...rest) {
    const headers = rest.at(-1);
    if (typeof headers === "object" && headers !== null && !Array.isArray(headers)) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string);
      return writeHead.call(this, status, ...rest.slice(0, -1));
    }
    return writeHead.call(this, status, ...rest);
  };
  holder.write = function (...args) {
    if (isEnded) return false;
    collect(args[0], args[1]);
    return write.apply(this, args);
  };
  holder.end = function (...args) {
    if (isEnded) return this;
    isEnded = true;
    collect(args[0], args[1]);
    const reply = {
      status: response.statusCode,
      headers: ownOf(response.getHeaders(), before),
      ...(length > maxBytes ? {} : { body: toBody(Buffer.concat(chunks)) }),
    } as StoredResponse;
    // For everyone else it is sent immediately.
    recordEnd(response);
    Object.defineProperty(response, "headersSent", { get: () => true, configurable: true });
    const send = (): void => {
      Reflect.deleteProperty(response, "headersSent");
      Object.assign(holder, { end, write, writeHead });
      end.apply(this, args);
    };
    onResponse(reply).then(send, send);
    return this;
  };
  return { headers: () => ownOf(response.getHeaders(), before) };
}

/** Sends a stored response. */
export function replay(response: Response, { status, headers, body }: Required<StoredResponse>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string);
  response.setHeader("Idempotency-Replayed", "true");
  const bytes = "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
  if (bytes.length > 0) response.setHeader("Content-Length", bytes.length);
  response.end(bytes.length > 0 ? bytes : undefined);
}

/** Text unchanged, and everything else as bytes. */
export function toBody(bytes: Buffer): NonNullable<StoredResponse["body"]> {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString("base64") };
}

function ownOf(
  headers: ReturnType<Response["getHeaders"]>,
  before: ReturnType<Response["getHeaders"]>,
): StoredResponse["headers"] {
  const own = Object.entries(headers).filter(([name, value]) => !ownHeaders.has(name) && value !== before[name]);
  return Object.fromEntries(own) as StoredResponse["headers"];
}

const charsetOf = (encoding: unknown): BufferEncoding =>
  typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8";
