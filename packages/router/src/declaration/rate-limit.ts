import { z } from "zod";
import { count, milliseconds, type ShapeOf, text } from "./option-values.js";

/** What can be said of any rate limit: the global one, that of authentication, or that of a route. */
export interface RateLimitOptions {
  /** The window in milliseconds. */
  readonly windowMs?: number;
  /** How many requests a client may send in one window. */
  readonly limit?: number;
  /** Another name of `limit`. */
  readonly max?: number;
  /** The `detail` of the refusal. @default "Too many requests" */
  readonly message?: string;
}

/** A limit of this route, in place of the global one, with a window and a counter of its own. */
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
    message: "limit and max are one setting; keep one of them.",
    input: value,
  });
});

/** The limit of a route: the same options, of which the window and the number of requests are needed. */
export const routeRateLimitSchema = z
  .strictObject({ ...options, windowMs: milliseconds })
  .check(({ value: { limit, max }, issues, value }) => {
    if ((limit === undefined) !== (max === undefined)) return;
    const message =
      limit === undefined
        ? "It is missing: how many requests a client may send in one window."
        : "limit and max are one setting; keep one of them.";
    issues.push({ code: "custom", path: ["max"], message, input: value });
  });

/** The options with the number of requests under its one name. */
export function readRateLimit({ max, ...options }: RateLimitOptions): Omit<RateLimitOptions, "max"> {
  return max === undefined ? options : { ...options, limit: max };
}
