import { type QueryClient, type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { WriteOptions } from "../resources/resource-client.js";
import { invalidateResource } from "./keys.js";
import { restore, type Snapshot } from "./optimistic.js";

/** What TanStack Query takes of a write, and what the call says besides. */
export interface AnyChangeOptions {
  readonly call?: WriteOptions;
  readonly [option: string]: unknown;
}

/** What a write does. */
export interface ChangeParts<Given, Answer> {
  readonly send: (given: Given, call: WriteOptions | undefined, queries: QueryClient) => Promise<Answer>;
  /** Shows it before it is answered. */
  readonly show?: (given: Given, queries: QueryClient) => Promise<Snapshot>;
}

/** A write to rows of a model: those who show it read again when all writes to it are answered. */
export function useChange<Given, Answer>(
  resource: PropertyKey,
  options: AnyChangeOptions | undefined,
  { send, show }: ChangeParts<Given, Answer>,
) {
  const queries = useQueryClient();
  const { call, ...given } = options ?? {};
  const { onError, onSettled, ...rest } = given as UseMutationOptions<Answer, Error, Given, Snapshot | undefined>;
  const mutationKey = ["servicekit", String(resource)];
  return useMutation<Answer, Error, Given, Snapshot | undefined>({
    mutationKey,
    // One after the other: each knows the state that the one before has left.
    scope: { id: mutationKey.join(" ") },
    ...rest,
    mutationFn: (value) => send(value, call, queries),
    onMutate: (value) => show?.(value, queries),
    onError: (error, value, before, context) => {
      restore(queries, before);
      return onError?.(error, value, before, context);
    },
    onSettled: async (...settled) => {
      // What is read now would hide the changes that are still on their way.
      if (queries.isMutating({ mutationKey }) <= 1) await invalidateResource(queries, resource);
      return onSettled?.(...settled);
    },
  });
}
