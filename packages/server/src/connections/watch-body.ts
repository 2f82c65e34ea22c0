import type { IncomingMessage } from "node:http";

/** Callbacks about the body of a request; each may be called repeatedly. */
export interface BodyNews {
  /** Bytes arrive, or the service is ready for them. */
  readonly onReceiving: () => void;
  /** Nothing is expected any more: the body is complete, or it is no longer read. */
  readonly onRest: () => void;
  /** The client was silent, too slow or too long, although the service was ready to read. */
  readonly onLate: () => void;
}

/** How a body must arrive. */
export interface BodyTimes {
  /** The maximum silence of the client, in milliseconds. */
  readonly idleMs: number;
  /** The maximum duration of the body, in milliseconds. */
  readonly bodyMs: number;
  /** How much must arrive in each second, over `rateMs`. */
  readonly bytesPerSecond: number;
}

/**
 * The maximum interval of the checks in milliseconds, and the minimum number of checks without a byte that count as
 * silence.
 */
const maxCheckMs = 2_500;
const minQuietChecks = 4;
/** The period over which the rate is measured, in milliseconds: a temporarily bad link is not an attack. */
const rateMs = 10_000;

/**
 * Watches at the socket how the body of a request arrives (contract C43). A service that does not read, because its
 * handler is busy or its own writes are slow, does not count against the client.
 *
 * The socket's own timeout is not used: it also counts while the body is not read, and Node uses it for idle
 * connections. Checks are counted instead of milliseconds, so that a blocked process does not cause timeouts.
 *
 * @returns a function that ends the watch
 */
export function watchBody(
  request: IncomingMessage,
  { idleMs, bodyMs, bytesPerSecond }: BodyTimes,
  news: BodyNews,
): () => void {
  const { socket } = request;
  const checkMs = Math.min(idleMs / minQuietChecks, maxCheckMs);
  const quietChecks = Math.round(idleMs / checkMs);
  const rateChecks = Math.ceil(rateMs / checkMs);
  let received = socket.bytesRead;
  let quiet = 0;
  /**
   * The checks at which the client was expected to send: for the complete body, and since the last rate measurement.
   */
  let waited = 0;
  let lastMeasured = { at: 0, received };
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
    const checks = waited - lastMeasured.at;
    if (checks < rateChecks) return false;
    const came = received - lastMeasured.received;
    lastMeasured = { at: waited, received };
    return came < (bytesPerSecond * checks * checkMs) / 1_000;
  };
  const check = (): void => {
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
    // If the service controls the reading, the rate does not count.
    if (isReady) waited++;
    if (quiet < quietChecks && waited * checkMs < bodyMs && !isSlow()) {
      news.onReceiving();
      return;
    }
    stop();
    news.onLate();
  };
  let timer: NodeJS.Timeout | undefined;
  // A body that arrived with the headers is complete and needs no checks, even if it is never read.
  const first = setImmediate(() => {
    if (request.complete) finish();
    else timer = setInterval(check, checkMs);
  });
  request.on("end", finish);
  return stop;
}

/** Whether a consumer reads and has capacity: by `data`, a pipe that is not paused, or `readable`. */
function isWaiting(request: IncomingMessage): boolean {
  if (request.readableFlowing === true) return true;
  return request.listenerCount("readable") > 0 && request.readableLength < request.readableHighWaterMark;
}
