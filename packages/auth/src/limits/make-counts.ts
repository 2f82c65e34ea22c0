import { createHash } from "node:crypto";
import { type RateLimitStore } from "@servicekit/router";
import { heldStore } from "@servicekit/router/internal";
import { makeMemoryCounts } from "./memory-counts.js";

/** Where limits count. */
export interface CountsOptions {
  /** Makes the shared store of a scope; `undefined` counts in memory. */
  readonly makeStore: ((scope: string) => RateLimitStore) | undefined;
  /** Is told that a store is away. */
  readonly onStoreError: (error: unknown) => void;
}

/** Makes the counts of one scope; without their store they hold in memory (contract C60). */
export function makeCounts(
  scope: string,
  windowMs: number,
  { makeStore, onStoreError }: CountsOptions,
): RateLimitStore {
  const given = makeStore?.(scope);
  const counts =
    given === undefined ? makeMemoryCounts() : heldStore(given, { makeMemory: makeMemoryCounts, onStoreError });
  // The stores of the library read nothing else of its options.
  void counts.init?.({ windowMs } as Parameters<NonNullable<RateLimitStore["init"]>>[0]);
  return counts;
}

/** A store should not hold what people are called, nor names of any length. */
export function countKey(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
