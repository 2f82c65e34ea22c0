import { isMainThread } from "node:worker_threads";
import { type DestinationStream, type Logger, pino } from "pino";

/** Maximum size of the buffer in bytes, and maximum delay in milliseconds. */
const maxBuffered = 64 * 1024;
const longestMs = 1_000;

const warnLevel = 40;

/** The message of the lines that may be delayed. */
export const requestMessage = "request";

/** A log destination that can buffer the lines of requests, so that many are written together. */
export interface BufferedLines extends DestinationStream {
  /**
   * Buffers the lines of requests from now on, for at most a second. Any other line, and that of a failed request, is
   * written immediately, with the buffered ones before it. Nothing is lost when the process exits.
   *
   * @returns a function that writes the buffer and ends it
   */
  hold(): () => void;
}

/** Where pino stores the contents of the line, for destinations that need it. */
const wantsMetadata = Symbol.for("pino.metadata");

/**
 * Puts a buffer before a destination, which accepts bytes; until `hold` is called every line is written immediately.
 * Lines are buffered as bytes, because the collector would copy each piece of pending strings.
 */
export function makeBufferedLines(out: ReturnType<typeof pino.destination>): BufferedLines {
  const room = Buffer.allocUnsafeSlow(maxBuffered);
  let stored = 0;
  let isBuffering = false;
  let timer: NodeJS.Timeout | undefined;
  // Its types only include strings.
  const write = (lines: Buffer): void => void out.write(lines as unknown as string);
  const release = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (stored === 0) return;
    const lines = Buffer.from(room.subarray(0, stored));
    stored = 0;
    write(lines);
  };
  const store = (line: string): void => {
    // A character takes at most three bytes.
    const max = 3 * line.length;
    if (stored + max > maxBuffered) release();
    if (max > maxBuffered) write(Buffer.from(line));
    else stored += room.write(line, stored);
  };
  return {
    [wantsMetadata]: true,
    lastLevel: 0,
    lastMsg: undefined as unknown,
    write(this: { lastLevel: number; lastMsg: unknown }, line: string) {
      store(line);
      const mayWait = isBuffering && this.lastMsg === requestMessage && this.lastLevel < warnLevel;
      if (!mayWait) release();
      // It does not keep the process alive: the exit writes the buffer.
      else timer ??= setTimeout(release, longestMs).unref();
    },
    // Pino calls it after a fatal line.
    flushSync() {
      release();
      out.flushSync();
    },
    flush(done?: (error?: Error) => void) {
      release();
      out.flush(done);
    },
    hold() {
      // A worker can be killed without notice.
      if (!isMainThread || isBuffering) return () => undefined;
      isBuffering = true;
      process.on("exit", release);
      return () => {
        isBuffering = false;
        process.off("exit", release);
        release();
      };
    },
  } as BufferedLines;
}

/**
 * Buffers the lines of requests, if the logger is that of the service. Only for code that controls the end of the
 * process, because a signal without a listener ends it without notice.
 *
 * @returns a function that writes the buffer and ends it
 */
export function bufferLines(logger: Logger): () => void {
  const stream = (logger as unknown as Record<symbol, Partial<BufferedLines> | undefined>)[pino.symbols.streamSym];
  return stream?.hold?.() ?? (() => undefined);
}
