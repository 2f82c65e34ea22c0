import type { ChangeRetention } from "@servicekit/changes";
import type { Logger } from "pino";

/** When old changes are deleted, in milliseconds after the start and after each deletion. */
const times = { first: 60_000, next: 3_600_000 };

/**
 * Deletes old changes from time to time (contract C108). Errors are logged, and the deletion is repeated later.
 *
 * @returns ends it, after the statement that runs
 */
export function startRetention(
  retention: ChangeRetention,
  logger: Logger,
  { first, next }: typeof times = times,
): () => Promise<void> {
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout;
  const run = async (): Promise<void> => {
    try {
      const deleted = await retention.run(ending.signal);
      if (deleted > 0) logger.info({ deleted }, "old changes deleted");
    } catch (error) {
      if (!ending.signal.aborted) logger.error({ err: error }, "old changes could not be deleted; this is repeated");
    }
    if (!ending.signal.aborted) schedule(next);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = run();
    }, ms).unref();
  };
  schedule(first);
  return async () => {
    ending.abort();
    clearTimeout(timer);
    await running;
  };
}
