import type { Model } from "@servicekit/prisma";
import type { MatchStates } from "@servicekit/prisma/internal";
import type { RecordedChange } from "../operations/visible-changes.js";

/** A recorded change of a row of any model. */
export interface FeedChange extends RecordedChange {
  /** The name of the model. */
  readonly model: string;
}

/** Consecutive changes. */
export interface FeedBatch {
  readonly changes: readonly FeedChange[];
  /** The position after them. */
  readonly last: bigint;
}

/** The changes of all models, as they are committed. */
export interface ChangeFeed {
  /**
   * Returns batches of changes in their order, without gaps, until the signal is aborted. The first batch is empty: its
   * position is the start. The same object is returned to all callers at the same position.
   *
   * @param options.after a position that the log contains; the current end by default
   */
  follow(options: {
    readonly model: Model;
    readonly after?: bigint | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<FeedBatch, void, undefined>;
  /** Whether the log still contains a position. @param notBefore the earliest time of its change */
  contains(position: bigint, notBefore?: Date): Promise<boolean>;
  readonly matchStates: MatchStates;
  /** Aborted when the service stops. */
  readonly closing: AbortSignal;
}
