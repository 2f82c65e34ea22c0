import type { ServerResponse } from "node:http";
import { jsonFormatOf, toJsonText } from "./json-format.js";

const json = "application/json; charset=utf-8";

/**
 * Sends JSON with less work than Express, in the format of the application's settings; headers that are already set
 * remain.
 *
 * @param body a value, or JSON text
 */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, json, typeof body === "string" ? body : toJsonText(body, jsonFormatOf(response)));
}

/** Sends a text of any media type, with its length. */
export function sendText(response: ServerResponse, status: number, contentType: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  setHeaders(response, status, contentType, bytes);
  endWithText(response, text, bytes);
}

/**
 * Ends a response with a text of the given size. As Latin-1, which includes ASCII, Node writes up to 16 KB of it
 * immediately, together with the headers; as UTF-8 no more than 5 KB, and the rest is queued in the connection, which
 * retains the request.
 */
export function endWithText(response: ServerResponse, text: string, bytes: number): void {
  if (bytes === text.length) response.end(text, "latin1");
  else response.end(Buffer.from(text));
}

/** Sends JSON bytes piece by piece, so that they need not be in one buffer. */
export function sendJsonBytes(response: ServerResponse, status: number, pieces: readonly Uint8Array[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  setHeaders(response, status, json, length);
  // Flushed immediately; a stream that compresses them writes later, when they must not be buffered any more.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
  response.end();
}

/** Sets the headers of a text response. */
export function setTextHeaders(response: ServerResponse, status: number, contentType: string, text: string): void {
  setHeaders(response, status, contentType, Buffer.byteLength(text));
}

function setHeaders(response: ServerResponse, status: number, contentType: string, length: number): void {
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", length);
}
