import type { IncomingMessage } from "node:http";

/** Is told how the body of a request comes in; each may be called again with the same news. */
export interface BodyNews {
  /** Bytes come, or the service is ready for them. */
  readonly onReceiving: () => void;
  /** Nothing is waited for any more: the body is complete, or nobody reads on. */
  readonly onRest: () => void;
  /** The client has been silent for the whole time, although the service was ready to read. */
  readonly onSilence: () => void;
}

/** How many looks without a byte make a silence. */
const quietLooks = 4;

/**
 * Watches at the socket how the body of a request comes in (contract C43). A service that does not read, for its handler
 * is busy or what it writes to is slow, makes the client wait; that is no silence of the client.
 *
 * The socket's own time-out is not used: it also counts while nobody reads, and Node keeps idle connections with it.
 * Looks are counted instead of milliseconds, so that a process that stood still blames nobody for it.
 *
 * @returns ends the watch
 */
export function watchBody(request: IncomingMessage, idleMs: number, news: BodyNews): () => void {
  const { socket } = request;
  let received = socket.bytesRead;
  let quiet = 0;
  const stop = (): void => {
    clearInterval(timer);
    clearImmediate(first);
    request.off("end", finish);
  };
  const finish = (): void => {
    stop();
    news.onRest();
  };
  const look = (): void => {
    if (request.complete) {
      finish();
      return;
    }
    const isSilent = socket.bytesRead === received;
    received = socket.bytesRead;
    if (isSilent && !isWaiting(request)) {
      quiet = 0;
      news.onRest();
      return;
    }
    quiet = isSilent ? quiet + 1 : 0;
    if (quiet < quietLooks) {
      news.onReceiving();
      return;
    }
    stop();
    news.onSilence();
  };
  const timer = setInterval(look, idleMs / quietLooks);
  // A body that came together with the headers is complete by then, though nobody may ever read it.
  const first = setImmediate(() => {
    if (request.complete) finish();
  });
  request.once("end", finish);
  return stop;
}

/** Whether somebody reads and has room for more: by `data`, a pipe that is not held up, or `readable`. */
function isWaiting(request: IncomingMessage): boolean {
  if (request.readableFlowing === true) return true;
  return request.listenerCount("readable") > 0 && request.readableLength < request.readableHighWaterMark;
}
