import { httpErrors } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import { clientAddress } from "./client-address.js";
import { heldStore, type RateLimitStore } from "./held-store.js";
import { type Hits, makeMemoryHits } from "./memory-hits.js";

/** One limit with one counter. */
export interface RateLimiterOptions {
  /** The window in milliseconds. @default 60000 */
  readonly windowMs?: number;
  /** How many requests a client may send in one window. @default 300 */
  readonly limit?: number;
  /** The `detail` of the refusal. @default "Too many requests" */
  readonly message?: string;
  /** @default the memory of this process */
  readonly store?: RateLimitStore;
  /** Names the client of a request. @default its address, of which IPv6 counts by /56 */
  readonly keyOf?: (request: Request) => string;
  /** Requests that are not counted. */
  readonly skip?: (request: Request) => boolean;
  /** Is told that the store is away, once a minute; the memory of this process counts meanwhile. */
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * A handler that counts the requests of each client and refuses those over the limit with 429, a problem body,
 * `RateLimit-*` headers and `Retry-After` (contract C43). While a store is away the memory of this process counts
 * (contract C60).
 */
export function makeRateLimiter(options: RateLimiterOptions = {}): RequestHandler {
  const { store, windowMs = 60_000, limit = 300, onStoreError } = options;
  if (store === undefined) return limitBy(makeMemoryHits(windowMs), options);
  const held = heldStore(store, { onStoreError });
  if (held.hit === undefined) return limitInStore(held, options);
  // Stores that count hits read nothing else of the library's options.
  void held.init?.({ windowMs, limit } as Parameters<NonNullable<RateLimitStore["init"]>>[0]);
  return limitBy(held.hit, options);
}

/** What `express-rate-limit` does, and in one turn where a hit is counted at once: its promises cost more than the count. */
function limitBy(hit: NonNullable<RateLimitStore["hit"]>, options: RateLimiterOptions): RequestHandler {
  const { windowMs = 60_000, limit = 300, message, keyOf = clientAddress, skip } = options;
  const policy = `${limit};w=${Math.ceil(windowMs / 1_000)}`;
  const most = String(limit);
  return function limitRate(request, response, next) {
    if (skip?.(request)) return next();
    const key = keyOf(request);
    const goOn = ({ totalHits, resetTime }: Hits): void => {
      const remaining = Math.max(limit - totalHits, 0);
      const reset = String(Math.max(0, Math.ceil((resetTime.getTime() - Date.now()) / 1_000)));
      // Where the library puts it, for handlers that ask.
      (request as Limited).rateLimit = { limit, used: totalHits, remaining, resetTime, key };
      if (!response.headersSent) {
        response.setHeader("RateLimit-Policy", policy);
        response.setHeader("RateLimit-Limit", most);
        response.setHeader("RateLimit-Remaining", String(remaining));
        response.setHeader("RateLimit-Reset", reset);
        if (totalHits > limit) response.setHeader("Retry-After", reset);
      }
      next(totalHits > limit ? httpErrors.TooManyRequests(message, { stack: false }) : undefined);
    };
    const counted = hit(key);
    return counted instanceof Promise ? counted.then(goOn) : goOn(counted);
  };
}

/** A request that was counted. */
interface Limited extends Request {
  rateLimit?: { limit: number; used: number; remaining: number; resetTime: Date; key: string };
}

/** The library, which is loaded for its stores alone. */
function limitInStore(store: RateLimitStore, options: RateLimiterOptions): RequestHandler {
  const made = makeStoreLimit(store, options);
  // Whoever asks is told what is wrong.
  made.catch(() => undefined);
  return async function limitRate(request, response, next) {
    return (await made)(request, response, next);
  };
}

async function makeStoreLimit(store: RateLimitStore, options: RateLimiterOptions): Promise<RequestHandler> {
  const { windowMs = 60_000, limit = 300, message, keyOf = clientAddress, skip } = options;
  const { rateLimit } = await import("express-rate-limit");
  return rateLimit({
    windowMs,
    limit,
    standardHeaders: "draft-6",
    legacyHeaders: false,
    passOnStoreError: true,
    // Its checks only write to the console, where a client's headers could fill it.
    validate: false,
    keyGenerator: keyOf,
    handler: (_request, _response, next) => next(httpErrors.TooManyRequests(message, { stack: false })),
    store,
    ...(skip === undefined ? {} : { skip }),
  });
}
