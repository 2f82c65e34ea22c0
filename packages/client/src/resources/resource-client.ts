import type { AggregatePage, AggregateQuery, AggregateRow, KnownAggregate } from "../api/aggregate.js";
import type { ApiShape } from "../api/api.js";
import type { DeletedRows, HasSoftDelete, PermanentOption } from "../api/deleted.js";
import type { EventsQuery, ResourceEvent } from "../api/events.js";
import type { HistoryPage, HistoryQuery, RestoredMeta } from "../api/history.js";
import type { KnownQuery, ListQuery, Selection, Shape, Where } from "../api/query.js";
import type { FieldName, Fields, Include, NoRelations, Row } from "../api/response.js";
import type { CallOptions } from "../requests/send.js";

/** The metadata of a page (contract C1). */
export interface PageMeta {
  /** Of this page. */
  readonly count: number;
  readonly limit: number;
  /** Of all pages; absent with `count: false` or a cursor. */
  readonly total?: number;
  /** Whether `total` is an estimate of the database. */
  readonly estimated?: true;
  /** Whether there are more rows than `total`. */
  readonly limited?: true;
  readonly page?: number;
  readonly pages?: number;
  /** With a cursor: the cursor of the next page, `null` after the last. */
  readonly nextCursor?: string | null;
  /** With `highlight: true`: excerpts of each row by field, as safe HTML with `<mark>`. */
  readonly highlights?: readonly Readonly<Record<string, string>>[];
}

/** One page of a list. */
export interface Page<Item> {
  readonly data: Item[];
  readonly meta: PageMeta;
}

/** Options of a write to one row. */
export interface WriteOptions extends CallOptions {
  /**
   * The version that the row must have, as an `ETag`; `false` for any. @default the version that this client last read
   * in full, if any
   */
  readonly ifMatch?: string | false;
}

/** The body of a new row with foreign keys in place of relations. */
export type Replacement<Api extends ApiShape<Api>, Resource extends keyof Api> = Api[Resource]["create"] & {
  readonly [Relation in keyof Api[Resource]["relations"]]?: never;
};

/** Options of a bulk create that may meet existing rows. */
export interface UpsertOptions<Api extends ApiShape<Api>, Resource extends keyof Api> extends CallOptions {
  /** The unique field, or the fields of the compound key, that finds existing rows. */
  readonly onConflict: FieldName<Api, Resource> | readonly FieldName<Api, Resource>[];
  /** Whether existing rows are updated or skipped. @default "merge" */
  readonly resolution?: "merge" | "ignore";
}

/** Options of an import. */
export interface ImportOptions<Api extends ApiShape<Api>, Resource extends keyof Api>
  extends CallOptions,
    Partial<Omit<UpsertOptions<Api, Resource>, keyof CallOptions>> {
  /** Whether the rows are only checked. @default false */
  readonly dryRun?: boolean;
}

/** The query of an export: that of a list, with a `limit` and without pages. */
export type ExportQuery<
  Api extends ApiShape<Api>,
  Resource extends keyof Api,
  Selected extends Fields<Api, Resource> | undefined = Fields<Api, Resource> | undefined,
  Included extends Include<Api, Resource> = Include<Api, Resource>,
> = Omit<Selection<Api, Resource>, "count"> & Shape<Api, Resource, Selected, Included>;

/** Options of a subscription. */
export interface SubscribeOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** The last id that was received: continues after it, or begins with `reset` if it is older than ten minutes. */
  readonly lastEventId?: string;
}

/** The operations of one model. Each rejects with an `ApiError`. */
export interface ResourceClient<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** One page of the rows that match the query. */
  list<
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
    const Given extends object = object,
  >(
    query?: ListQuery<Api, Resource, Selected, Included> & Given & KnownQuery<Api, Resource, Given>,
    options?: CallOptions,
  ): Promise<Page<Row<Api, Resource, Selected, Included>>>;
  /**
   * Page after page by cursor, stable while rows are added and deleted: `for await (const { data } of
   * shop.products.pages())`.
   */
  pages<
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
    const Given extends object = object,
  >(
    query?: Selection<Api, Resource> &
      Shape<Api, Resource, Selected, Included> &
      Given &
      KnownQuery<Api, Resource, Given>,
    options?: CallOptions,
  ): AsyncGenerator<Page<Row<Api, Resource, Selected, Included>>, void, undefined>;
  /**
   * All rows that match the query, as CSV text: `Readable.fromWeb`, `new Response(stream).text()`. The model needs
   * `export: true`.
   */
  export(
    query: ExportQuery<Api, Resource> & { readonly format: "csv" },
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
  /** All rows that match the query, while they arrive: `for await (const row of await shop.products.export(…))`. */
  export<
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    query: ExportQuery<Api, Resource, Selected, Included> & { readonly format: "ndjson" },
    options?: CallOptions,
  ): Promise<AsyncGenerator<Row<Api, Resource, Selected, Included>, void, undefined>>;
  /** Groups of the rows that match the query, with counts, sums and other measures. The model must enable aggregates. */
  aggregate<const Query extends AggregateQuery<Api, Resource>>(
    query: Query & KnownAggregate<Api, Resource, Query>,
    options?: CallOptions,
  ): Promise<AggregatePage<AggregateRow<Api, Resource, Query>>>;
  /** One row by its key. Its version is cached for `If-Match` if it is read in full. */
  read<
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    key: Api[Resource]["key"],
    shape?: Shape<Api, Resource, Selected, Included> & DeletedRows<Api, Resource>,
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource, Selected, Included> }>;
  /** The changes of a row, newest first, also of a deleted one. The model needs `changes: { history: true }`. */
  history(key: Api[Resource]["key"], query?: HistoryQuery, options?: CallOptions): Promise<HistoryPage<Api, Resource>>;
  /**
   * Writes the state of a row after a change, or before its deletion, into the row, if it has the version that this client
   * read last. A deleted row is created again. The model needs `changes: { history: true }`.
   *
   * @param change the id of a change in the history of the row
   */
  restoreState(
    key: Api[Resource]["key"],
    change: string,
    options?: WriteOptions,
  ): Promise<{ data: Row<Api, Resource>; meta: RestoredMeta<Api, Resource> }>;
  /**
   * The changes of the rows that match the query, while they are made: `for await (const event of shop.orders.subscribe({
   * where: { status: "OPEN" } }, { signal }))`. It connects again after a lost connection and misses no change. The
   * model needs `changes: { events: true }`.
   */
  subscribe<const Selected extends readonly FieldName<Api, Resource>[] | undefined = undefined>(
    query?: EventsQuery<Api, Resource, Selected>,
    options?: SubscribeOptions,
  ): AsyncGenerator<ResourceEvent<Api, Resource, Selected>, void, undefined>;
  /** Creates a row and returns it. */
  create(body: Api[Resource]["create"], options?: CallOptions): Promise<{ data: Row<Api, Resource> }>;
  /**
   * Changes the given fields if the row has the version that this client read last; otherwise 412 `PreconditionFailed`.
   */
  update(
    key: Api[Resource]["key"],
    changes: Api[Resource]["update"],
    options?: WriteOptions,
  ): Promise<{ data: Row<Api, Resource> }>;
  /**
   * Replaces a row, or creates it, with a complete body: fields that are missing get their default or null. An existing
   * row must have the version that this client read last. The model needs `upsert: true`.
   */
  replace(
    key: Api[Resource]["key"],
    body: Replacement<Api, Resource>,
    options?: WriteOptions,
  ): Promise<{ data: Row<Api, Resource> }>;
  /** Deletes a row if it has the version that this client read last; with soft delete, it can be restored. */
  delete(key: Api[Resource]["key"], options?: WriteOptions & PermanentOption<Api, Resource>): Promise<void>;
  /**
   * Restores a deleted row, and the rows that were deleted with it, if it has the version that this client read last. The
   * model needs `softDelete`.
   */
  restore: HasSoftDelete<Api, Resource> extends true
    ? (key: Api[Resource]["key"], options?: WriteOptions) => Promise<{ data: Row<Api, Resource> }>
    : never;
  /** Creates rows, and updates or skips those that exist. The model needs `upsert: true`. */
  createMany(
    bodies: readonly Replacement<Api, Resource>[],
    options: UpsertOptions<Api, Resource>,
  ): Promise<{
    data: Row<Api, Resource>[];
    meta: {
      count: number;
      /** Of each body, in order: 201 for a row that was created, 200 for one that existed. */
      statuses: (200 | 201)[];
    };
  }>;
  /** All or none, like the other two. */
  createMany(
    bodies: readonly Api[Resource]["create"][],
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource>[]; meta: { count: number } }>;
  /**
   * Creates the rows of a CSV or NDJSON file, such as that of an `<input>`: all or none. Its type is `text/csv` or
   * `application/x-ndjson`. The model needs `import: true`.
   */
  import(
    file: Blob,
    options?: ImportOptions<Api, Resource>,
  ): Promise<{ meta: { count: number; dryRun?: true; statuses?: (200 | 201)[] } }>;
  /** Rows with their keys and changes, or the same changes for all rows that match a filter. */
  updateMany(
    changes:
      | readonly (Partial<Api[Resource]["row"]> & Api[Resource]["update"])[]
      | { readonly where: Where<Api, Resource>; readonly data: Api[Resource]["update"] },
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource>[]; meta: { count: number } }>;
  /** By keys, or all rows that match a filter: with `permanent`, also deleted ones. */
  deleteMany(
    rows:
      | { readonly keys: readonly Api[Resource]["key"][] }
      | ({ readonly where: Where<Api, Resource> } & DeletedRows<Api, Resource>),
    options?: CallOptions & PermanentOption<Api, Resource>,
  ): Promise<{ meta: { count: number } }>;
}
