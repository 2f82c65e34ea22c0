import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gate } from "@servicekit/router";
import type { RunningRequests } from "./stop-server.js";

/** The status of a rate-limited response. */
const tooManyRequests = 429;

/**
 * A gate that starts the requests of a connection one after another. Node passes all requests of one packet to a server
 * in the same tick of the event loop; here a request starts in a later tick, after the previous response has been sent,
 * and the connection is not read meanwhile. After a 429, queued requests are not started, and the connection is closed.
 *
 * @param running the requests of each connection, with the new one as the last
 * @param gate the next handler. @default the application
 */
export function inSequence(running: RunningRequests, gate?: Gate): Gate {
  const begin = (request: IncomingMessage, response: ServerResponse, goOn: () => void): void =>
    gate === undefined ? goOn() : gate(request, response, goOn);
  return (request, response, goOn) => {
    const { socket } = request;
    const responses = running.get(socket);
    const previous = responses?.at(-2);
    if (previous === undefined) return begin(request, response, goOn);
    socket.pause();
    previous.once("close", () => {
      if (previous.statusCode === tooManyRequests) socket.destroySoon();
      else setImmediate(beginNow);
    });
    const beginNow = (): void => {
      if (socket.destroyed) return;
      if (responses?.at(-1) === response) socket.resume();
      begin(request, response, goOn);
    };
  };
}
