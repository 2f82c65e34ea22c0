import type { Logger } from "pino";

/** Deletes old rows. */
export interface Retention {
  /** @returns the number of deleted rows */
  run(signal: AbortSignal): Promise<number>;
}

/** When old rows are deleted, in milliseconds after the start and after each deletion. */
const [first, next] = [60_000, 3_600_000];

/**
 * Deletes old rows from time to time (contract C108, C112). Errors are logged, and the deletion is repeated later.
 *
 * @param rows what the rows are, for the log
 * @returns ends it, after the statement that runs
 */
export function startRetention(
  retention: Retention,
  rows: "changes" | "deliveries",
  logger: Logger,
): () => Promise<void> {
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout;
  const run = async (): Promise<void> => {
    try {
      const deleted = await retention.run(ending.signal);
      if (deleted > 0) logger.info({ deleted }, `old ${rows} deleted`);
    } catch (error) {
      if (!ending.signal.aborted) logger.error({ err: error }, `old ${rows} could not be deleted; this is repeated`);
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
