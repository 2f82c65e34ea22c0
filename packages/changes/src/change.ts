/** A stored change. */
export interface Change {
  /** Larger for later changes of the same row. */
  readonly id: bigint;
  readonly time: Date;
  /** The name of the changed model. */
  readonly model: string;
  /** The key of the row, as in the path of the API. */
  readonly key: string;
  readonly operation: "create" | "update" | "delete";
  readonly actor: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  /** The row before the change, in the form of a response; `null` for a created one. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The row after the change, in the form of a response; `null` for a deleted one. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The id of the database transaction that made the change. */
  readonly transaction: bigint;
  /** The fields that the states lack because the change is too large. */
  readonly omitted?: readonly string[];
}

/** All columns of a change. */
export const changeColumns = Object.freeze({
  ...{ id: true, time: true, model: true, key: true, operation: true, actor: true },
  ...{ requestId: true, traceId: true, before: true, after: true, transaction: true },
});
