import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ApiShape } from "../api/api.js";
import type { makeResource } from "../resources/make-resource.js";
import type { Page, ResourceClient } from "../resources/resource-client.js";
import type { AnyQuery } from "../write-query.js";
import type { Hooks } from "./hooks.js";
import { listKey, rowKey } from "./keys.js";
import { useLive } from "./live.js";
import { showChange } from "./optimistic.js";
import { type AnyChangeOptions, useChange } from "./use-change.js";

/** The TanStack Query options of a read. */
type AnyOptions = Readonly<Record<string, unknown>>;

interface AnyChange {
  readonly key: unknown;
  readonly changes: unknown;
}

/** The client itself retries reads, and only those that can be retried. */
const once = { retry: false } as const;

/**
 * Creates the React hooks of a client (contract C74) for TanStack Query 5. Their types follow the query as the client's
 * do.
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
  // Their types are those of `Hooks`, as the types of the operations are those of `ResourceClient`.
  const of = (resource: PropertyKey) =>
    (client as unknown as Readonly<Record<PropertyKey, ReturnType<typeof makeResource>>>)[resource] as ReturnType<
      typeof makeResource
    >;
  const hooks = {
    useList: (resource: PropertyKey, query?: AnyQuery, { live, ...options }: AnyOptions = {}) => {
      useLive(live === true, resource, query, (...given) => of(resource).subscribe(...given));
      return useQuery({
        ...{ ...once, ...options },
        queryKey: listKey(resource, query),
        queryFn: ({ signal }) => of(resource).list(query, { signal }),
      });
    },
    useInfiniteList: (resource: PropertyKey, query?: AnyQuery, options?: AnyOptions) =>
      useInfiniteQuery({
        ...{ ...once, ...options },
        queryKey: [resource, "list", "growing", query ?? {}],
        initialPageParam: "",
        queryFn: ({ signal, pageParam }) => of(resource).list({ ...query, cursor: pageParam }, { signal }),
        getNextPageParam: ({ meta }: Page<unknown>) => meta.nextCursor ?? undefined,
      }),
    useRead: (resource: PropertyKey, key: unknown, shape?: AnyQuery, options?: AnyOptions) =>
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
          // It is not refetched.
          queries.removeQueries({ queryKey: [resource, "row", key] });
        },
      }),
    useRestore: (resource: PropertyKey, options?: AnyChangeOptions) =>
      useChange(resource, options, { send: (key: unknown, call) => of(resource).restore(key, call) }),
  };
  return Object.freeze(hooks) as unknown as Hooks<Api>;
}
