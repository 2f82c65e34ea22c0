import type { Logger } from "pino";

/** Deletes old rows. */
export interface Retention {
  /** @returns the number of deleted rows */
  run(signal: AbortSignal): Promise<number>;
}

/** The deletions of a service, by what the rows are, for the log. */
export type Retentions = Readonly<
  Record<"changes" | "deliveries" | "sessions" | "idempotency keys", Retention | undefined>
>;

/** When old rows are deleted, in milliseconds after the start and after each deletion. */
const [first, next] = [60_000, 3_600_000];

/**
 * Deletes old rows from time to time, one kind after another (contract C108, C112, C149). Errors are logged, and the deletion
 * is repeated later.
 *
 * @returns ends it, after the statement that runs
 */
export function startRetention(retentions: Partial<Retentions>, logger: Logger): () => Promise<void> {
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout;
  const runOne = async (rows: string, retention: Retention): Promise<void> => {
    try {
      const deleted = await retention.run(ending.signal);
      if (deleted > 0) logger.info({ deleted }, `old ${rows} deleted`);
    } catch (error) {
      if (!ending.signal.aborted) logger.error({ err: error }, `old ${rows} could not be deleted; this is repeated`);
    }
  };
  const run = async (): Promise<void> => {
    for (const [rows, retention] of Object.entries(retentions)) {
      if (retention !== undefined && !ending.signal.aborted) await runOne(rows, retention);
    }
    if (!ending.signal.aborted) schedule(next);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      running = run();
    }, ms).unref();
  };
  if (Object.values(retentions).some((retention) => retention !== undefined)) schedule(first);
  return async () => {
    ending.abort();
    clearTimeout(timer);
    await running;
  };
}
