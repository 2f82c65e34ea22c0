import { setTimeout as sleep } from "node:timers/promises";
import { isHttpError } from "@servicekit/core";
import { isStaleStatement, readFailure } from "../errors/database-failure.js";

/** Milliseconds before the first retry; doubled each time, half of it random. */
const firstPause = 10;

/** Repeats the work after a pause with jitter, up to `retries` times while `isPassing` accepts the error. */
export async function retry<T>(
  work: () => Promise<T>,
  retries: number,
  isPassing: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= retries || !isPassing(error)) throw error;
      await sleep(firstPause * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

/** The codes of MySQL for a shutdown and a killed connection, and those of its driver for a closed one and a failed set-up. */
const lostLinks: ReadonlySet<number | undefined> = new Set([1053, 1927, 45_009, 45_013, 45_019, 45_030]);

/** Whether a read can be repeated: its connection broke, or its statement was prepared before the tables changed. */
export function isRepeatableRead(error: unknown): boolean {
  const failure = readFailure(error);
  if (failure === undefined) {
    if (!(error instanceof Error)) return false;
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ECONNRESET" || code === "EPIPE" || /not queryable|terminated unexpectedly/i.test(message);
  }
  const { code, kind, sqlState, mysqlCode } = failure;
  const isClosed = code === "P1017" || kind === "ConnectionClosed" || lostLinks.has(mysqlCode);
  const isLostLink = isClosed || sqlState === "57P01" || sqlState === "57P02";
  return isLostLink || isStaleStatement(failure);
}

/** Whether a write, or an entire transaction, can be repeated: it certainly had no effect. */
export function isRepeatableWrite(error: unknown): boolean {
  if (!isHttpError(error)) return false;
  const failure = readFailure(error.cause);
  return error.code === "WriteConflict" || (failure !== undefined && isStaleStatement(failure));
}
