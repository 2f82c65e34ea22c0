import { z } from "zod";
import { count, milliseconds, type ShapeOf, text } from "./option-values.js";

/** The options of any rate limit: the global one, that of authentication, or that of a route. */
export interface RateLimitOptions {
  /** The window in milliseconds. */
  readonly windowMs?: number;
  /** Maximum number of requests per client and window. */
  readonly limit?: number;
  /** A synonym of `limit`. */
  readonly max?: number;
  /** The `detail` of the error. @default "Too many requests" */
  readonly message?: string;
}

/** A limit of this route, in place of the global one, with its own window and counter. */
export type RateLimitConfig = RateLimitOptions & { readonly windowMs: number } & (
    | { readonly max: number }
    | { readonly limit: number }
  );

const options = {
  windowMs: milliseconds.optional(),
  limit: count.optional(),
  max: count.optional(),
  message: text.optional(),
} satisfies ShapeOf<RateLimitOptions>;

/** The options of any rate limit. */
export const rateLimitSchema = z.strictObject(options).check(({ value: { limit, max }, issues, value }) => {
  if (limit === undefined || max === undefined) return;
  issues.push({
    code: "custom",
    path: ["max"],
    message: "limit and max are the same setting. Remove one of them.",
    input: value,
  });
});

/** The limit of a route: the same options, with required window and limit. */
export const routeRateLimitSchema = z
  .strictObject({ ...options, windowMs: milliseconds })
  .check(({ value: { limit, max }, issues, value }) => {
    if ((limit === undefined) !== (max === undefined)) return;
    const message =
      limit === undefined
        ? "is missing: the number of requests that a client may send per window."
        : "limit and max are the same setting. Remove one of them.";
    issues.push({ code: "custom", path: ["max"], message, input: value });
  });

/** The options with the limit under one name. */
export function readRateLimit({ max, ...options }: RateLimitOptions): Omit<RateLimitOptions, "max"> {
  return max === undefined ? options : { ...options, limit: max };
}
