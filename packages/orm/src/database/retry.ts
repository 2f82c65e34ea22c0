import { setTimeout as sleep } from "node:timers/promises";
import { readFailure } from "../errors/database-failure.js";

/** Milliseconds before the first repetition; it doubles each time, and half of it is chance. */
const firstPause = 10;

/** Does the work again, after a pause with jitter, up to `retries` times while `isPassing` accepts the error. */
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

/** Whether a link broke under a call: PostgreSQL ended it (57P01 to 57P03 but starting up), or the network did. */
export function isLostLink(error: unknown): boolean {
  const failure = readFailure(error);
  if (failure === undefined) {
    const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: "", message: "" };
    return (
      code === "ECONNRESET" || code === "EPIPE" || /not queryable|connection terminated unexpectedly/i.test(message)
    );
  }
  return failure.code === "P1017" || failure.sqlState === "57P01" || failure.sqlState === "57P02";
}
