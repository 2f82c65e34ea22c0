import type { ServerResponse } from "node:http";

/** JSON of any value; numbers that JSON cannot hold as numbers become strings (contract C4). */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    return JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? String(inner) : inner));
  }
}

/**
 * Sends JSON without Express's detours; headers that were set before stay.
 *
 * @param body a value, or a string that already is JSON text
 */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, "application/json; charset=utf-8", typeof body === "string" ? body : toJsonText(body));
}

/** Sends a text of any media type, with its length. */
export function sendText(response: ServerResponse, status: number, contentType: string, text: string): void {
  setTextHeaders(response, status, contentType, text);
  response.end(text);
}

/** Sets what a text answer says of itself. */
export function setTextHeaders(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", Buffer.byteLength(text));
}
