import { createHash } from "node:crypto";
import { type RateLimitStore } from "@servicekit/router";
import { BoundedMemoryStore, withFallback } from "@servicekit/router/internal";

/** The store of the rate limits. */
export interface CountsOptions {
  /** Makes the shared store of a scope; `undefined` counts in memory. */
  readonly makeStore: ((scope: string) => RateLimitStore) | undefined;
  /** Receives the error of an unavailable store. */
  readonly onStoreError: (error: unknown) => void;
}

/** Makes the counts of one scope; while their store is unavailable, this process counts in memory (contract C60). */
export function makeCounts(
  scope: string,
  windowMs: number,
  { makeStore, onStoreError }: CountsOptions,
): RateLimitStore {
  const given = makeStore?.(scope);
  const counts: RateLimitStore = given === undefined ? new BoundedMemoryStore() : withFallback(given, onStoreError);
  // Stores read no other option of the library.
  void counts.init?.({ windowMs } as Parameters<NonNullable<RateLimitStore["init"]>>[0]);
  return counts;
}

/** A store should contain neither account names nor names of unlimited length. */
export function countKey(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
