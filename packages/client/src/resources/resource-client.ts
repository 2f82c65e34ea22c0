import type { Fields, Include, NoRelations, Row } from "../api/answer.js";
import type { ApiShape } from "../api/api.js";
import type { ListQuestion, Selection, Shape, Where } from "../api/question.js";
import type { CallOptions } from "../requests/send.js";

/** What a list says of its page (contract C1). */
export interface PageMeta {
  /** Of the page. */
  readonly count: number;
  readonly limit: number;
  /** Of all pages; not with `count: false` or a cursor. */
  readonly total?: number;
  readonly page?: number;
  readonly pages?: number;
  /** With a cursor: where the next page begins, `null` after the last. */
  readonly nextCursor?: string | null;
}

/** One page of a list. */
export interface Page<Item> {
  readonly data: Item[];
  readonly meta: PageMeta;
}

/** Options of a write to one row. */
export interface WriteOptions extends CallOptions {
  /**
   * The state that the row must have, as an `ETag`; `false` for any. @default the state in which this client saw the row
   * last in full, where it did
   */
  readonly ifMatch?: string | false;
}

/** The operations of one model. Each is refused with an `ApiError`. */
export interface ResourceClient<Api extends ApiShape<Api>, Resource extends keyof Api> {
  /** One page of the rows that meet the question. */
  list<
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    question?: ListQuestion<Api, Resource, Asked, Included>,
    options?: CallOptions,
  ): Promise<Page<Row<Api, Resource, Asked, Included>>>;
  /** Page after page by cursor, stable while rows come and go: `for await (const { data } of shop.products.pages())`. */
  pages<
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    question?: Selection<Api, Resource> & Shape<Api, Resource, Asked, Included>,
    options?: CallOptions,
  ): AsyncGenerator<Page<Row<Api, Resource, Asked, Included>>, void, undefined>;
  /** One row by its key. In full it is remembered for `If-Match`. */
  read<
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    key: Api[Resource]["key"],
    shape?: Shape<Api, Resource, Asked, Included>,
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource, Asked, Included> }>;
  /** Creates a row and returns it. */
  create(body: Api[Resource]["create"], options?: CallOptions): Promise<{ data: Row<Api, Resource> }>;
  /** Changes the given fields, while the row is as this client saw it last: else 412 `PreconditionFailed`. */
  update(
    key: Api[Resource]["key"],
    changes: Api[Resource]["update"],
    options?: WriteOptions,
  ): Promise<{ data: Row<Api, Resource> }>;
  /** Deletes a row, while it is as this client saw it last. */
  delete(key: Api[Resource]["key"], options?: WriteOptions): Promise<void>;
  /** All or none, as the other two. */
  createMany(
    bodies: readonly Api[Resource]["create"][],
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource>[]; meta: { count: number } }>;
  /** Rows with their keys and changes, or the same changes for all that meet a filter. */
  updateMany(
    changes:
      | readonly (Partial<Api[Resource]["row"]> & Api[Resource]["update"])[]
      | { readonly where: Where<Api, Resource>; readonly data: Api[Resource]["update"] },
    options?: CallOptions,
  ): Promise<{ data: Row<Api, Resource>[]; meta: { count: number } }>;
  /** By keys, or all that meet a filter. */
  deleteMany(
    rows: { readonly keys: readonly Api[Resource]["key"][] } | { readonly where: Where<Api, Resource> },
    options?: CallOptions,
  ): Promise<{ meta: { count: number } }>;
}
