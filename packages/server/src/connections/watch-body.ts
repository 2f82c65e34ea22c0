import type { IncomingMessage } from "node:http";

/** Is told how the body of a request comes in; each may be called again with the same news. */
export interface BodyNews {
  /** Bytes come, or the service is ready for them. */
  readonly onReceiving: () => void;
  /** Nothing is waited for any more: the body is complete, or nobody reads on. */
  readonly onRest: () => void;
  /** The client has been silent, too slow or too long at it, although the service was ready to read. */
  readonly onLate: () => void;
}

/** How a body must come in. */
export interface BodyTimes {
  /** How long the client may be silent, in milliseconds. */
  readonly idleMs: number;
  /** How long the whole body may take, in milliseconds. */
  readonly bodyMs: number;
  /** How much must come in each second, over `rateMs`. */
  readonly bytesPerSecond: number;
}

/** How often it is looked at the least, in milliseconds, and how many looks without a byte make a silence at the least. */
const mostLookMs = 2_500;
const fewestQuietLooks = 4;
/** Over how long the rate is judged, in milliseconds: a link that is bad for a moment is no attack. */
const rateMs = 10_000;

/**
 * Watches at the socket how the body of a request comes in (contract C43). A service that does not read, for its handler
 * is busy or what it writes to is slow, makes the client wait; that is no fault of the client.
 *
 * The socket's own time-out is not used: it also counts while nobody reads, and Node keeps idle connections with it.
 * Looks are counted instead of milliseconds, so that a process that stood still blames nobody for it.
 *
 * @returns ends the watch
 */
export function watchBody(
  request: IncomingMessage,
  { idleMs, bodyMs, bytesPerSecond }: BodyTimes,
  news: BodyNews,
): () => void {
  const { socket } = request;
  const lookMs = Math.min(idleMs / fewestQuietLooks, mostLookMs);
  const quietLooks = Math.round(idleMs / lookMs);
  const rateLooks = Math.ceil(rateMs / lookMs);
  let received = socket.bytesRead;
  let quiet = 0;
  /** Looks at which the client was waited for: of the whole body, and since the rate was judged last. */
  let waited = 0;
  let judged = { at: 0, received };
  const stop = (): void => {
    clearInterval(timer);
    clearImmediate(first);
    request.off("end", finish);
  };
  const finish = (): void => {
    stop();
    news.onRest();
  };
  const isSlow = (): boolean => {
    const looks = waited - judged.at;
    if (looks < rateLooks) return false;
    const came = received - judged.received;
    judged = { at: waited, received };
    return came < (bytesPerSecond * looks * lookMs) / 1_000;
  };
  const look = (): void => {
    if (request.complete) {
      finish();
      return;
    }
    const isSilent = socket.bytesRead === received;
    received = socket.bytesRead;
    const isReady = isWaiting(request);
    if (isSilent && !isReady) {
      quiet = 0;
      news.onRest();
      return;
    }
    quiet = isSilent ? quiet + 1 : 0;
    // Where the service takes the bytes when it likes, their pace is its own.
    if (isReady) waited++;
    if (quiet < quietLooks && waited * lookMs < bodyMs && !isSlow()) {
      news.onReceiving();
      return;
    }
    stop();
    news.onLate();
  };
  let timer: NodeJS.Timeout | undefined;
  // A body that came together with the headers is complete by then, though nobody may ever read it: it needs no looks.
  const first = setImmediate(() => {
    if (request.complete) finish();
    else timer = setInterval(look, lookMs);
  });
  request.on("end", finish);
  return stop;
}

/** Whether somebody reads and has room for more: by `data`, a pipe that is not held up, or `readable`. */
function isWaiting(request: IncomingMessage): boolean {
  if (request.readableFlowing === true) return true;
  return request.listenerCount("readable") > 0 && request.readableLength < request.readableHighWaterMark;
}
