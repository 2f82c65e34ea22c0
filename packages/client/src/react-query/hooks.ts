import type {
  InfiniteData,
  UseInfiniteQueryOptions,
  UseInfiniteQueryResult,
  UseMutationOptions,
  UseMutationResult,
  UseQueryOptions,
  UseQueryResult,
} from "@tanstack/react-query";
import type { Fields, Include, NoRelations, Row } from "../api/answer.js";
import type { ApiShape } from "../api/api.js";
import type { ListQuestion, Selection, Shape } from "../api/question.js";
import type { CallOptions } from "../requests/send.js";
import type { Page, WriteOptions } from "../resources/resource-client.js";

/** What TanStack Query takes of a read, but its key and its work. */
export type ReadOptions<Answer> = Omit<UseQueryOptions<Answer, Error>, "queryKey" | "queryFn" | "select">;

/** What TanStack Query takes of a list that grows. */
export type GrowingOptions<Answer> = Omit<
  UseInfiniteQueryOptions<Answer, Error, InfiniteData<Answer, string>, readonly unknown[], string>,
  "queryKey" | "queryFn" | "select" | "initialPageParam" | "getNextPageParam" | "getPreviousPageParam"
>;

/** What TanStack Query takes of a write, and what the call says besides its body. */
export interface ChangeOptions<Answer, Given, Call = CallOptions>
  extends Omit<UseMutationOptions<Answer, Error, Given>, "mutationFn" | "onMutate"> {
  readonly call?: Call;
}

/** A row, and what changes of it. */
export interface Change<Api extends ApiShape<Api>, Resource extends keyof Api> {
  readonly key: Api[Resource]["key"];
  readonly changes: Api[Resource]["update"];
}

/** The hooks of one service. Every refusal is an `ApiError`, and what `fetch` throws comes through. */
export interface Hooks<Api extends ApiShape<Api>> {
  /** One page of the rows that meet the question. */
  useList<
    Resource extends keyof Api,
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    resource: Resource,
    question?: ListQuestion<Api, Resource, Asked, Included>,
    options?: ReadOptions<Page<Row<Api, Resource, Asked, Included>>>,
  ): UseQueryResult<Page<Row<Api, Resource, Asked, Included>>, Error>;
  /** A list that grows page by page, by cursor: `fetchNextPage()`. */
  useInfiniteList<
    Resource extends keyof Api,
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    resource: Resource,
    question?: Selection<Api, Resource> & Shape<Api, Resource, Asked, Included>,
    options?: GrowingOptions<Page<Row<Api, Resource, Asked, Included>>>,
  ): UseInfiniteQueryResult<InfiniteData<Page<Row<Api, Resource, Asked, Included>>, string>, Error>;
  /** One row by its key; nothing is asked for `undefined`. */
  useRead<
    Resource extends keyof Api,
    const Asked extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    resource: Resource,
    key: Api[Resource]["key"] | undefined,
    shape?: Shape<Api, Resource, Asked, Included>,
    options?: ReadOptions<{ data: Row<Api, Resource, Asked, Included> }>,
  ): UseQueryResult<{ data: Row<Api, Resource, Asked, Included> }, Error>;
  /** Makes rows, and has what shows the model read again. */
  useCreate<Resource extends keyof Api>(
    resource: Resource,
    options?: ChangeOptions<{ data: Row<Api, Resource> }, Api[Resource]["create"]>,
  ): UseMutationResult<{ data: Row<Api, Resource> }, Error, Api[Resource]["create"]>;
  /**
   * Changes rows. The change is shown at once, and taken back where it is refused: also because somebody else was faster, which
   * the client notices where it has read the row in full (`If-Match`).
   */
  useUpdate<Resource extends keyof Api>(
    resource: Resource,
    options?: ChangeOptions<{ data: Row<Api, Resource> }, Change<Api, Resource>, WriteOptions>,
  ): UseMutationResult<{ data: Row<Api, Resource> }, Error, Change<Api, Resource>>;
  /** Deletes rows by their keys. */
  useDelete<Resource extends keyof Api>(
    resource: Resource,
    options?: ChangeOptions<void, Api[Resource]["key"], WriteOptions>,
  ): UseMutationResult<void, Error, Api[Resource]["key"]>;
}
