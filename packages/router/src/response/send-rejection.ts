import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "../body/media-type.js";
import { waitsForContinue } from "../request/continue-later.js";
import { setTextHeaders } from "./send-json.js";

/** A body up to this size is read, and the connection stays open. */
const shortBody = 64 * 1024;

/**
 * How much of an unwanted body is read, for how long, and the maximum silence, until its sender has read the response.
 */
const maxBytes = 16 * 1024 * 1024;
const longestMs = 5_000;
const silenceMs = 1_000;

/**
 * Sends the response to a request whose body may be incomplete, because it was rejected before. A connection that is
 * closed while the client still sends is reset, and the response may be lost (RFC 9112, section 9.6): so the complete
 * response is sent first, further data is discarded within limits, and then the response ends.
 */
export function sendRejection(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, text }: { readonly status: number; readonly contentType: string; readonly text: string },
): void {
  setTextHeaders(response, status, contentType, text);
  const isClosing = response.getHeader("connection") === "close";
  // A client that waits for 100 Continue does not send its body, and Node closes the connection after such a response.
  if (isClosing || request.complete || !hasBody(request) || waitsForContinue(request)) {
    response.end(text);
    return;
  }
  if (!(Number(request.headers["content-length"]) <= shortBody)) response.setHeader("Connection", "close");
  response.write(text);
  // If the response is compressed.
  (response as { flush?: () => void }).flush?.();
  dropRest(request, (isComplete) => {
    response.end();
    if (!isComplete) request.socket.destroySoon();
  });
}

function dropRest(request: IncomingMessage, done: (isComplete: boolean) => void): void {
  let dropped = 0;
  const drop = (chunk: Buffer): void => {
    dropped += chunk.length;
    silence.refresh();
    if (dropped > maxBytes) finish();
  };
  const finish = (): void => {
    clearTimeout(timer);
    clearTimeout(silence);
    request.off("data", drop).off("end", finish).off("close", finish);
    done(request.complete);
  };
  const timer = setTimeout(finish, longestMs);
  const silence = setTimeout(finish, silenceMs);
  request.on("data", drop).once("end", finish).once("close", finish);
  request.resume();
}
