import { checkShape, isCount, isPlainObject, isText } from "./check-shape.js";

/** A limit of this route, in place of the global one, with a window and a counter of its own. */
export interface RateLimitConfig {
  /** The window in milliseconds. */
  readonly windowMs: number;
  /** How many requests a client may send in one window. */
  readonly max: number;
  /** @default "Too many requests" */
  readonly message?: string;
}

/** The faults of a `rateLimit` value, in words. */
export function checkRateLimit(value: unknown): string[] {
  const faults = checkShape(value, { windowMs: isCount, max: isCount, message: isText });
  if (!isPlainObject(value)) return faults;
  for (const key of ["windowMs", "max"]) if (value[key] === undefined) faults.push(`.${key} is missing.`);
  return faults;
}
