import { setTimeout as pause } from "node:timers/promises";
import { isHttpError } from "@servicekit/core";
import type { Model } from "../models/model.js";
import type { Database } from "./make-database.js";
import { withProcessLock } from "./process-lock.js";

/** What one transaction deleted. */
export interface DeletedBatch<Start> {
  readonly deleted: number;
  /** Where the next transaction continues; `undefined` at the end. */
  readonly next: Start | undefined;
}

/** The options of {@link deleteInBatches}. */
export interface DeletionOptions<Start> {
  readonly database: Database;
  /** The model whose rows are deleted. */
  readonly model: Model;
  /** Identifies the deletion: one process of the database runs it at a time. */
  readonly name: string;
  /** Where the first transaction starts. */
  readonly start: Start;
  /** Deletes some rows in a transaction. @param size the maximum number of rows that it deletes or examines */
  readonly batch: (inside: Database, from: Start, size: number) => Promise<DeletedBatch<Start>>;
  /** Milliseconds between two batches. @default 200 */
  readonly pauseMs?: number | undefined;
  /** Ends it after the current batch. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a deletion. */
export interface Deletion {
  readonly deleted: number;
  /** Whether another process is deleting, so that this one has ended early. */
  readonly isElsewhere: boolean;
}

const maxSize = 1_000;

/**
 * Deletes rows in small transactions with pauses, so that no statement exceeds its time limit and other writes do not wait
 * for them. A batch that exceeds the limit is repeated with half of its size, down to one row.
 *
 * @throws {HttpError} if the database fails
 */
export async function deleteInBatches<Start>(options: DeletionOptions<Start>): Promise<Deletion> {
  const { database, model, name, start, batch, pauseMs = 200, signal } = options;
  let deleted = 0;
  let size = maxSize;
  for (let from: Start | undefined = start; from !== undefined && signal?.aborted !== true; ) {
    const current: Start = from;
    try {
      const lock = { name, provider: model.provider };
      const result = await withProcessLock(database, lock, (inside) => batch(inside, current, size));
      if (result === undefined) return { deleted, isElsewhere: true };
      deleted += result.deleted;
      from = result.next;
      size = Math.min(maxSize, size * 2);
    } catch (error) {
      if (size === 1 || !isTimeout(error)) throw error;
      size = Math.floor(size / 2);
    }
    // The condition of the loop ends it when the pause is aborted.
    if (from !== undefined)
      await pause(pauseMs, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
  }
  return { deleted, isElsewhere: false };
}

const isTimeout = (error: unknown): boolean => isHttpError(error) && error.code === "DatabaseTimeout";

/** Which rows {@link deleteExpired} deletes. */
export interface ExpiredRows extends Pick<DeletionOptions<unknown>, "database" | "model" | "pauseMs" | "signal"> {
  /** The field of the time. */
  readonly field: string;
  /** Rows with an earlier time are deleted. */
  readonly before: Date;
}

/**
 * Deletes the rows of a model with the key `id` that are older than a time, the oldest first.
 *
 * @returns their number
 * @throws {HttpError} if the database fails
 */
export async function deleteExpired({ field, before, ...options }: ExpiredRows): Promise<number> {
  const { model } = options;
  const where = { [field]: { lt: before } };
  const { deleted } = await deleteInBatches<true>({
    ...options,
    name: `servicekit ${model.schema ?? ""}.${model.table}`,
    start: true,
    batch: async (inside, _from, size) => {
      const rows = inside.of(model);
      const found = await rows.findMany({ where, orderBy: [{ [field]: "asc" }], take: size, select: { id: true } });
      if (found.length === 0) return { deleted: 0, next: undefined };
      // A row may have been prolonged since.
      const count = await rows.deleteMany({ where: { ...where, id: { in: found.map(({ id }) => id) } } });
      return { deleted: count, next: found.length < size || count === 0 ? undefined : true };
    },
  });
  return deleted;
}
