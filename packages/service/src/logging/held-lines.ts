import { isMainThread } from "node:worker_threads";
import { type DestinationStream, type Logger, pino } from "pino";

/** How much is held at the most, in characters, and for how long, in milliseconds. */
const mostHeld = 8 * 1024;
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

/** Puts a buffer before a destination; as long as nobody calls `hold` every line is written at once. */
export function makeHeldLines(out: ReturnType<typeof pino.destination>): HeldLines {
  let held = "";
  let isHolding = false;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = held;
    held = "";
    if (lines !== "") out.write(lines);
  };
  return {
    [wantsFacts]: true,
    lastLevel: 0,
    lastMsg: undefined as unknown,
    write(this: { lastLevel: number; lastMsg: unknown }, line: string) {
      held += line;
      const mayWait = isHolding && this.lastMsg === requestMessage && this.lastLevel < warnLevel;
      if (!mayWait || held.length >= mostHeld) release();
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
