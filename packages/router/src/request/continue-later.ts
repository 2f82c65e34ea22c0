import type { IncomingMessage, ServerResponse } from "node:http";

const waiting = Symbol("servicekit.waitsForContinue");

type Waiting = IncomingMessage & { [waiting]?: boolean };

/**
 * Sends `100 Continue` (RFC 9110, section 10.1.1) when the body is read, and not before: a client whose request is
 * rejected without reading the body need not send it.
 */
export function continueLater(request: IncomingMessage, response: ServerResponse): void {
  const holder: Waiting = request;
  holder[waiting] = true;
  const sendContinue = (): void => {
    request.off("resume", sendContinue).off("newListener", onListener);
    holder[waiting] = false;
    if (!response.headersSent) response.writeContinue();
  };
  // Streams in flowing mode emit "resume"; `for await` and paused mode listen to "readable".
  const onListener = (event: string): void => {
    if (event === "readable") sendContinue();
  };
  request.on("resume", sendContinue).on("newListener", onListener);
}

/** Whether the client of a request still waits for `100 Continue` before it sends the body. */
export function waitsForContinue(request: IncomingMessage): boolean {
  return (request as Waiting)[waiting] === true;
}
