import type { Model } from "@servicekit/prisma";
import type { MatchStates } from "@servicekit/prisma/internal";
import type { RecordedChange } from "../operations/visible-changes.js";

/** A recorded change of a row of any model. */
export interface FeedChange extends RecordedChange {
  /** The name of the model. */
  readonly model: string;
  /** The id of the database transaction that made the change. */
  readonly transaction: bigint;
  /** The fields that the states lack because the change is too large. */
  readonly omitted?: readonly string[];
}

/** A position in the log: after this change, which is identified by all three values. */
export interface FeedPosition {
  readonly id: bigint;
  readonly transaction: bigint;
  readonly time: Date;
}

/** Consecutive changes. */
export interface FeedBatch {
  readonly changes: readonly FeedChange[];
  /** The position after them; `undefined` if the next batch continues the same summary. */
  readonly last: FeedPosition | undefined;
  /** Whether each change summarizes all changes of its row since the position, without the states between them. */
  readonly isSummary: boolean;
  /** Whether changes after the position may be missing. */
  readonly isReset: boolean;
  /** Whether a stream cannot continue after the position: changes that a list contains already follow it in the log. */
  readonly isBehind: boolean;
}

/** The changes of all models for one stream. */
export interface FeedSubscription {
  /**
   * Waits for the changes after a position, in their order and without gaps. Changes that were committed before the subscription are
   * summarized, or left out of a subscription without a position. The same object is returned to all callers at the same position.
   *
   * @param after the last position that was returned; without it, the first batch is empty and its position is the current end
   * @returns `undefined` at the end of the subscription
   */
  next(after?: FeedPosition): Promise<FeedBatch | undefined>;
}

/** The changes of all models, as they are committed. */
export interface ChangeFeed {
  /** Begins to follow the changes, until the signal is aborted. */
  follow(options: { readonly model: Model; readonly signal: AbortSignal }): FeedSubscription;
  /** Returns the secrets with which ids of events are encrypted: with the first, and decrypted with each. All processes share them. */
  secrets(): Promise<readonly string[]>;
  readonly matchStates: MatchStates;
  /** Aborted when the service stops. */
  readonly closing: AbortSignal;
}
