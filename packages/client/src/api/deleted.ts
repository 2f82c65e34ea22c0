import type { ApiShape } from "./api.js";

/**
 * Whether a model can have soft delete: its rows have `deletedAt`. For another field, add `softDelete: true` to the type of
 * the model: `Api["items"] & { softDelete: true }`.
 */
export type HasSoftDelete<Api extends ApiShape<Api>, Resource extends keyof Api> = Api[Resource] extends
  | { softDelete: true }
  | { row: { deletedAt: string | null } }
  ? true
  : false;

/** Which rows a read returns: without `deleted`, those that are not deleted. */
export interface DeletedRows<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** Only deleted rows, or also these; requires the right to read them. */
  readonly deleted?: HasSoftDelete<Api, Resource> extends true ? "only" | "include" : never;
}

/** Options of a delete. */
export interface PermanentOption<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** Whether a row is deleted permanently, also a deleted one; requires the right to it. @default false */
  readonly permanent?: HasSoftDelete<Api, Resource> extends true ? boolean : never;
}
