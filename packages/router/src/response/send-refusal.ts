import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "../body/media-type.js";
import { waitsForContinue } from "../request/continue-later.js";
import { setTextHeaders } from "./send-json.js";

/** A body that is this short is read over, and the connection lives on. */
const shortBody = 64 * 1024;

/** How much of an unwanted body is read over, for how long, and through how long a silence, until its sender has read. */
const mostBytes = 16 * 1024 * 1024;
const longestMs = 5_000;
const silenceMs = 1_000;

/**
 * Sends the answer to a request whose body may not have come in to its end, because it was refused before that. A
 * connection that is closed while the other side still sends is reset, and the answer may be lost with it (RFC 9112,
 * section 9.6): so the whole answer goes out first, what comes then is dropped, within bounds, and then the answer ends.
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, text }: { readonly status: number; readonly contentType: string; readonly text: string },
): void {
  setTextHeaders(response, status, contentType, text);
  const isClosing = response.getHeader("connection") === "close";
  // A client that waits to be told does not send its body, and Node ends the connection after such an answer.
  if (isClosing || request.complete || !hasBody(request) || waitsForContinue(request)) {
    response.end(text);
    return;
  }
  if (!(Number(request.headers["content-length"]) <= shortBody)) response.setHeader("Connection", "close");
  response.write(text);
  // Where the answer is compressed.
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
    if (dropped > mostBytes) finish();
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
