import { isMainThread } from "node:worker_threads";
import { type DestinationStream, type Logger, pino } from "pino";

/** How much is held at the most, in bytes, and for how long, in milliseconds. */
const mostHeld = 64 * 1024;
const longestMs = 1_000;

const warnLevel = 40;

/** The message of the lines that may wait. */
export const requestMessage = "request";

/** A destination of log lines that can hold back those of requests, so that many are written at once. */
export interface HeldLines extends DestinationStream {
  /**
   * Holds lines of requests from now on, for a second at the most. Any other line, and that of a request that failed, is
   * written at once, with those held before it. Nothing is lost where the process exits, however it comes to that.
   *
   * @returns writes what is held, and ends it
   */
  hold(): () => void;
}

/** Where pino puts what the line says, for destinations that ask for it. */
const wantsFacts = Symbol.for("pino.metadata");

/**
 * Puts a buffer before a destination, which takes bytes; as long as nobody calls `hold` every line is written at once. Lines
 * are held as bytes: of texts that wait the collector would copy each piece.
 */
export function makeHeldLines(out: ReturnType<typeof pino.destination>): HeldLines {
  const room = Buffer.allocUnsafeSlow(mostHeld);
  let held = 0;
  let isHolding = false;
  let timer: NodeJS.Timeout | undefined;
  // Its types know of texts alone.
  const tell = (lines: Buffer): void => void out.write(lines as unknown as string);
  const release = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (held === 0) return;
    const lines = Buffer.from(room.subarray(0, held));
    held = 0;
    tell(lines);
  };
  const keep = (line: string): void => {
    // No character takes more than three bytes.
    const most = 3 * line.length;
    if (held + most > mostHeld) release();
    if (most > mostHeld) tell(Buffer.from(line));
    else held += room.write(line, held);
  };
  return {
    [wantsFacts]: true,
    lastLevel: 0,
    lastMsg: undefined as unknown,
    write(this: { lastLevel: number; lastMsg: unknown }, line: string) {
      keep(line);
      const mayWait = isHolding && this.lastMsg === requestMessage && this.lastLevel < warnLevel;
      if (!mayWait) release();
      // It keeps no process alive: the exit writes what is held.
      else timer ??= setTimeout(release, longestMs).unref();
    },
    // Pino calls it after a fatal line.
    flushSync() {
      release();
      out.flushSync();
    },
    flush(told?: (error?: Error) => void) {
      release();
      out.flush(told);
    },
    hold() {
      // A worker can be ended without a word.
      if (!isMainThread || isHolding) return () => undefined;
      isHolding = true;
      process.on("exit", release);
      return () => {
        isHolding = false;
        process.off("exit", release);
        release();
      };
    },
  } as HeldLines;
}

/**
 * Holds the lines of requests, where the logger is that of the service. For who has the end of the process in hand: a signal
 * that nobody listens to ends it without a word.
 *
 * @returns writes what is held, and ends it
 */
export function holdLines(logger: Logger): () => void {
  const stream = (logger as unknown as Record<symbol, Partial<HeldLines> | undefined>)[pino.symbols.streamSym];
  return stream?.hold?.() ?? (() => undefined);
}
