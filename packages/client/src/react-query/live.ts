import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { AnyQuery } from "../write-query.js";
import { listKey } from "./keys.js";

/** How long changes are collected before the list is read again, in milliseconds. */
const collectMs = 100;

/** Follows the rows of a filter until the signal is aborted. */
export type Subscribe = (
  query: AnyQuery,
  options: { readonly signal: AbortSignal },
) => AsyncIterable<{ readonly type: string }>;

/**
 * Reads a list again whenever its rows change, until the component is removed: its order, pages and relations are those of the
 * server.
 */
export function useLive(
  isLive: boolean,
  resource: PropertyKey,
  query: AnyQuery | undefined,
  subscribe: Subscribe,
): void {
  const queries = useQueryClient();
  const filter = JSON.stringify([resource, query ?? {}]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter represents the query, which is a new object each time.
  useEffect(() => {
    if (!isLive) return undefined;
    const ending = new AbortController();
    void followList(queries, { resource, query, subscribe, signal: ending.signal });
    return () => ending.abort();
  }, [queries, isLive, filter]);
}

/** Reads a list again whenever its rows change, until the signal is aborted. */
export async function followList(
  queries: QueryClient,
  {
    resource,
    query,
    subscribe,
    signal,
  }: {
    readonly resource: PropertyKey;
    readonly query: AnyQuery | undefined;
    readonly subscribe: Subscribe;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readAgain = (): void => {
    timer = undefined;
    if (!signal.aborted) void queries.invalidateQueries({ queryKey: listKey(resource, query), exact: true });
  };
  try {
    for await (const _ of subscribe({ where: query?.where }, { signal })) {
      if (timer === undefined) timer = setTimeout(readAgain, collectMs);
    }
  } catch (error) {
    // The list works without events; the rejection is an error of the program.
    reportError(error);
  }
}
