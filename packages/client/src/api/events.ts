import type { ApiShape } from "./api.js";
import type { Where } from "./query.js";
import type { FieldName } from "./response.js";

/** The rows whose changes are followed (contract C111). */
export interface EventsQuery<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Selected extends readonly FieldName<Api, Resource>[] | undefined = readonly FieldName<Api, Resource>[] | undefined,
> {
  readonly where?: Where<Api, Resource>;
  /** The fields of the rows. @default all stored fields of the list */
  readonly fields?: Selected;
}

/** The stored fields of a row in an event. */
export type EventRow<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Selected extends readonly FieldName<Api, Resource>[] | undefined,
> = Selected extends readonly (infer Name)[]
  ? Pick<Api[Resource]["row"], Name & keyof Api[Resource]["row"]>
  : Partial<Api[Resource]["row"]>;

/**
 * A change of the rows that match the query of a subscription. `id` is the last id that was received: a subscription with it as `lastEventId`
 * continues after it for ten minutes, and may repeat events.
 */
export type ResourceEvent<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Selected extends readonly FieldName<Api, Resource>[] | undefined = undefined,
> =
  /** `ready` is the first event: load the list after it. After `reset` changes may be missing: load it again. */
  | { readonly type: "ready" | "reset"; readonly id: string | undefined }
  /** The row matches now, or matches with other values. */
  | {
      readonly type: "created" | "updated";
      readonly id: string | undefined;
      readonly data: EventRow<Api, Resource, Selected>;
    }
  /** The row no longer matches, or was deleted; `data` is its key. */
  | { readonly type: "removed"; readonly id: string | undefined; readonly data: Partial<Api[Resource]["row"]> };
