import type {
  InfiniteData,
  UseInfiniteQueryOptions,
  UseInfiniteQueryResult,
  UseMutationOptions,
  UseMutationResult,
  UseQueryOptions,
  UseQueryResult,
} from "@tanstack/react-query";
import type { ApiShape } from "../api/api.js";
import type { HasSoftDelete } from "../api/deleted.js";
import type { KnownQuery, ListQuery, Selection, Shape } from "../api/query.js";
import type { Fields, Include, NoRelations, Row } from "../api/response.js";
import type { CallOptions } from "../requests/send.js";
import type { Page, WriteOptions } from "../resources/resource-client.js";

/** The TanStack Query options of a read, except key and function. */
export type ReadOptions<Result> = Omit<UseQueryOptions<Result, Error>, "queryKey" | "queryFn" | "select">;

/** The TanStack Query options of a list. */
export type ListOptions<Result> = ReadOptions<Result> & {
  /** Whether the list is read again when its rows change. The model needs `changes: { events: true }`. @default false */
  readonly live?: boolean;
};

/** The TanStack Query options of an infinite list. */
export type GrowingOptions<Result> = Omit<
  UseInfiniteQueryOptions<Result, Error, InfiniteData<Result, string>, readonly unknown[], string>,
  "queryKey" | "queryFn" | "select" | "initialPageParam" | "getNextPageParam" | "getPreviousPageParam"
>;

/** The TanStack Query options of a write, and the call options. */
export interface ChangeOptions<Result, Given, Call = CallOptions>
  extends Omit<UseMutationOptions<Result, Error, Given>, "mutationFn" | "onMutate"> {
  readonly call?: Call;
}

/** A row and its changes. */
export interface Change<Api extends ApiShape<Api>, Resource extends keyof Api> {
  readonly key: Api[Resource]["key"];
  readonly changes: Api[Resource]["update"];
}

/** The hooks of one service. Rejected requests are `ApiError`s; errors of `fetch` are passed on. */
export interface Hooks<Api extends ApiShape<Api>> {
  /** One page of the rows that match the query. */
  useList<
    Resource extends keyof Api,
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
    const Given extends object = object,
  >(
    resource: Resource,
    query?: ListQuery<Api, Resource, Selected, Included> & Given & KnownQuery<Api, Resource, Given>,
    options?: ListOptions<Page<Row<Api, Resource, Selected, Included>>>,
  ): UseQueryResult<Page<Row<Api, Resource, Selected, Included>>, Error>;
  /** An infinite list by cursor: `fetchNextPage()`. */
  useInfiniteList<
    Resource extends keyof Api,
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
    const Given extends object = object,
  >(
    resource: Resource,
    query?: Selection<Api, Resource> &
      Shape<Api, Resource, Selected, Included> &
      Given &
      KnownQuery<Api, Resource, Given>,
    options?: GrowingOptions<Page<Row<Api, Resource, Selected, Included>>>,
  ): UseInfiniteQueryResult<InfiniteData<Page<Row<Api, Resource, Selected, Included>>, string>, Error>;
  /** One row by its key; sends no request for `undefined`. */
  useRead<
    Resource extends keyof Api,
    const Selected extends Fields<Api, Resource> | undefined = undefined,
    const Included extends Include<Api, Resource> = NoRelations,
  >(
    resource: Resource,
    key: Api[Resource]["key"] | undefined,
    shape?: Shape<Api, Resource, Selected, Included>,
    options?: ReadOptions<{ data: Row<Api, Resource, Selected, Included> }>,
  ): UseQueryResult<{ data: Row<Api, Resource, Selected, Included> }, Error>;
  /** Creates rows and invalidates the queries of the model. */
  useCreate<Resource extends keyof Api>(
    resource: Resource,
    options?: ChangeOptions<{ data: Row<Api, Resource> }, Api[Resource]["create"]>,
  ): UseMutationResult<{ data: Row<Api, Resource> }, Error, Api[Resource]["create"]>;
  /**
   * Updates rows. The change is shown immediately and reverted if it is rejected, including when another client was
   * faster, which is detected if the row was read in full (`If-Match`).
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
  /** Restores deleted rows of a model with soft delete by their keys. */
  useRestore<Resource extends keyof Api>(
    resource: Resource & (HasSoftDelete<Api, Resource> extends true ? unknown : never),
    options?: ChangeOptions<{ data: Row<Api, Resource> }, Api[Resource]["key"], WriteOptions>,
  ): UseMutationResult<{ data: Row<Api, Resource> }, Error, Api[Resource]["key"]>;
}
