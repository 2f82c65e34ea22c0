import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ApiShape } from "../api/api.js";
import type { makeResource } from "../resources/make-resource.js";
import type { Page, ResourceClient } from "../resources/resource-client.js";
import type { AnyQuestion } from "../write-question.js";
import type { Hooks } from "./hooks.js";
import { listKey, rowKey } from "./keys.js";
import { showChange } from "./optimistic.js";
import { type AnyChangeOptions, useChange } from "./use-change.js";

/** What TanStack Query takes of a read. */
type AnyOptions = Readonly<Record<string, unknown>>;

interface AnyChange {
  readonly key: unknown;
  readonly changes: unknown;
}

/** The client tries reads again by itself, and knows which. */
const once = { retry: false } as const;

/**
 * Makes the React hooks of a client (contract C74), for TanStack Query 5: their types follow the question as the client's do.
 *
 * @example
 * export const { useList, useUpdate } = makeHooks<Api>(shop);
 * const { data } = useList("products", { where: { price: { lt: 20 } }, fields: ["id", "name"] });
 */
export function makeHooks<Api extends ApiShape<Api>>(
  client: {
    readonly [Resource in keyof Api]: ResourceClient<Api, Resource>;
  },
): Hooks<Api> {
  // Their types are those of `Hooks`, as those of the operations are those of `ResourceClient`.
  const of = (resource: PropertyKey) =>
    (client as unknown as Readonly<Record<PropertyKey, ReturnType<typeof makeResource>>>)[resource] as ReturnType<
      typeof makeResource
    >;
  const hooks = {
    useList: (resource: PropertyKey, question?: AnyQuestion, options?: AnyOptions) =>
      useQuery({
        ...{ ...once, ...options },
        queryKey: listKey(resource, question),
        queryFn: ({ signal }) => of(resource).list(question, { signal }),
      }),
    useInfiniteList: (resource: PropertyKey, question?: AnyQuestion, options?: AnyOptions) =>
      useInfiniteQuery({
        ...{ ...once, ...options },
        queryKey: [resource, "list", "growing", question ?? {}],
        initialPageParam: "",
        queryFn: ({ signal, pageParam }) => of(resource).list({ ...question, cursor: pageParam }, { signal }),
        getNextPageParam: ({ meta }: Page<unknown>) => meta.nextCursor ?? undefined,
      }),
    useRead: (resource: PropertyKey, key: unknown, shape?: AnyQuestion, options?: AnyOptions) =>
      useQuery({
        ...{ ...once, ...options, ...(key === undefined && { enabled: false }) },
        queryKey: rowKey(resource, key, shape),
        queryFn: ({ signal }) => of(resource).read(key, shape, { signal }),
      }),
    useCreate: (resource: PropertyKey, options?: AnyChangeOptions) =>
      useChange(resource, options, { send: (body: unknown, call) => of(resource).create(body, call) }),
    useUpdate: (resource: PropertyKey, options?: AnyChangeOptions) =>
      useChange(resource, options, {
        send: ({ key, changes }: AnyChange, call) => of(resource).update(key, changes, call),
        show: ({ key, changes }, queries) => showChange(queries, resource, key, changes),
      }),
    useDelete: (resource: PropertyKey, options?: AnyChangeOptions) =>
      useChange(resource, options, {
        send: async (key: unknown, call, queries) => {
          await of(resource).delete(key, call);
          // It is not read again.
          queries.removeQueries({ queryKey: [resource, "row", key] });
        },
      }),
  };
  return Object.freeze(hooks) as unknown as Hooks<Api>;
}
