import { httpErrors } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import { rateLimit } from "express-rate-limit";
import { clientAddress } from "../request/client-address.js";
import { BoundedMemoryStore } from "./bounded-memory-store.js";
import { type RateLimitStore, withFallback } from "./fallback-store.js";

/** One limit with one counter. */
export interface RateLimiterOptions {
  /** The window in milliseconds. @default 60000 */
  readonly windowMs?: number;
  /** Maximum number of requests per client and window. @default 300 */
  readonly limit?: number;
  /** The `detail` of the error. @default "Too many requests" */
  readonly message?: string;
  /** @default the memory of this process */
  readonly store?: RateLimitStore;
  /** The key of a request's client. @default its address, of which IPv6 counts by /56 */
  readonly keyOf?: (request: Request) => string;
  /** Requests that are not counted. */
  readonly skip?: (request: Request) => boolean;
  /** Receives the error of an unavailable store, once a minute; the memory of this process counts meanwhile. */
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * `express-rate-limit` with problem details as its error and `RateLimit-*` headers (contract C43). While a store is
 * unavailable, the memory of this process counts (contract C60).
 */
export function makeRateLimiter(options: RateLimiterOptions = {}): RequestHandler {
  const { windowMs = 60_000, limit = 300, message, store, keyOf = clientAddress, skip, onStoreError } = options;
  return rateLimit({
    windowMs,
    limit,
    store: store === undefined ? new BoundedMemoryStore() : withFallback(store, onStoreError),
    standardHeaders: "draft-6",
    legacyHeaders: false,
    // Its checks only write to the console, where the headers of a client could fill it.
    validate: false,
    keyGenerator: keyOf,
    handler: (_request, _response, next) => next(httpErrors.TooManyRequests(message, { stack: false })),
    ...(skip === undefined ? {} : { skip }),
  });
}
