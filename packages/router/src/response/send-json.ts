import type { ServerResponse } from "node:http";
import { jsonFormatOf, toJsonText } from "./json-format.js";

const json = "application/json; charset=utf-8";

/**
 * Sends JSON without Express's detours, in the format that the settings of the application ask for; headers that were set
 * before stay.
 *
 * @param body a value, or a string that already is JSON text
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
 * Ends an answer with a text of so many bytes. As Latin-1, which ASCII is, Node writes up to 16 KB of it at once, together with
 * the headers; as UTF-8 no more than 5, and what is longer waits in the connection for its turn, and with it its whole request.
 */
export function endWithText(response: ServerResponse, text: string, bytes: number): void {
  if (bytes === text.length) response.end(text, "latin1");
  else response.end(Buffer.from(text));
}

/** Sends JSON that is there as bytes, piece by piece, so that it need not stand in one piece of memory. */
export function sendJsonBytes(response: ServerResponse, status: number, pieces: readonly Uint8Array[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  setHeaders(response, status, json, length);
  // On their way at once; a stream that compresses them writes later, when they must not be held back any more.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
  response.end();
}

/** Sets what a text answer says of itself. */
export function setTextHeaders(response: ServerResponse, status: number, contentType: string, text: string): void {
  setHeaders(response, status, contentType, Buffer.byteLength(text));
}

function setHeaders(response: ServerResponse, status: number, contentType: string, length: number): void {
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", length);
}
