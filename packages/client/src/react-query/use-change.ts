import { type QueryClient, type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { WriteOptions } from "../resources/resource-client.js";
import { invalidateResource } from "./keys.js";
import { restore, type Snapshot } from "./optimistic.js";

/** The TanStack Query options of a write, and the call options. */
export interface AnyChangeOptions {
  readonly call?: WriteOptions;
  readonly [option: string]: unknown;
}

/** The steps of a write. */
export interface ChangeParts<Given, Result> {
  readonly send: (given: Given, call: WriteOptions | undefined, queries: QueryClient) => Promise<Result>;
  /** Shows it before the response. */
  readonly show?: (given: Given, queries: QueryClient) => Promise<Snapshot>;
}

/** A write to rows of a model. Queries of the model are refetched when all writes to it have completed. */
export function useChange<Given, Result>(
  resource: PropertyKey,
  options: AnyChangeOptions | undefined,
  { send, show }: ChangeParts<Given, Result>,
) {
  const queries = useQueryClient();
  const { call, ...given } = options ?? {};
  const { onError, onSettled, ...rest } = given as UseMutationOptions<Result, Error, Given, Snapshot | undefined>;
  const mutationKey = ["servicekit", String(resource)];
  return useMutation<Result, Error, Given, Snapshot | undefined>({
    mutationKey,
    // Sequential, because each needs the version that the previous one returned.
    scope: { id: mutationKey.join(" ") },
    ...rest,
    mutationFn: (value) => send(value, call, queries),
    onMutate: (value) => show?.(value, queries),
    onError: (error, value, before, context) => {
      restore(queries, before);
      return onError?.(error, value, before, context);
    },
    onSettled: async (...settled) => {
      // Data read now would hide pending changes.
      if (queries.isMutating({ mutationKey }) <= 1) await invalidateResource(queries, resource);
      return onSettled?.(...settled);
    },
  });
}
