import type { ApiShape } from "./api.js";

/** A page of the history of a row (contract C107). */
export interface HistoryQuery {
  readonly page?: number;
  readonly limit?: number;
}

/** A change of a row. */
export interface HistoryEntry<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** Larger for later changes. */
  readonly id: string;
  readonly time: string;
  readonly operation: "create" | "update" | "delete";
  /** Who made the change, such as `user:7`. */
  readonly actor: string;
  readonly requestId: string | null;
  /** The fields that differ; empty without `before` or `after`. */
  readonly changed: readonly (keyof Api[Resource]["row"] & string)[];
  /** The recorded fields before the change; `null` if there was no row that the caller may read. */
  readonly before: Partial<Api[Resource]["row"]> | null;
  /** The recorded fields after the change; `null` if there was no row that the caller may read. */
  readonly after: Partial<Api[Resource]["row"]> | null;
}

/** The changes of one page, newest first. */
export interface HistoryPage<Api extends ApiShape<Api>, Resource extends keyof Api> {
  readonly data: HistoryEntry<Api, Resource>[];
  readonly meta: {
    /** Of this page. */
    readonly count: number;
    readonly limit: number;
    readonly page: number;
    /** Whether there is a next page. */
    readonly hasMore: boolean;
  };
}

/** The fields of a restored state (contract C108). */
export interface RestoredMeta<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** The fields that were written. */
  readonly restored: readonly (keyof Api[Resource]["row"] & string)[];
  /** The fields that differ and that the caller may not write. */
  readonly notWritable: readonly (keyof Api[Resource]["row"] & string)[];
  /** The recorded fields that the model no longer has. */
  readonly unknown: readonly string[];
}
