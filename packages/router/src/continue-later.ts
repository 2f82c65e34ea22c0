import type { IncomingMessage, ServerResponse } from "node:http";

const waiting = Symbol("servicekit.waitsForContinue");

type Waiting = IncomingMessage & { [waiting]?: boolean };

/**
 * Tells a client that waits for it (RFC 9110, section 10.1.1) to send its body when somebody begins to read, and not
 * before: whoever is refused without a look at the body need not send it.
 */
export function continueLater(request: IncomingMessage, response: ServerResponse): void {
  const holder: Waiting = request;
  holder[waiting] = true;
  const { _read: read } = request;
  request._read = function readAndContinue(size) {
    request._read = read;
    holder[waiting] = false;
    if (!response.headersSent) response.writeContinue();
    read.call(request, size);
  };
}

/** Whether the client of a request still waits for the word to send its body. */
export function waitsForContinue(request: IncomingMessage): boolean {
  return (request as Waiting)[waiting] === true;
}
