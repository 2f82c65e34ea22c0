import { z } from "zod";

/** The CDN in front of the service (contract C124). */
export interface CacheConfig {
  /**
   * Removes responses with any of these surrogate keys from the CDN. It is called after each committed change of a model with
   * `changes`, because public responses may include its rows; at least once, with retries for about a day if it throws.
   */
  readonly purge: (keys: readonly string[]) => Promise<unknown> | unknown;
  /** The response header with the surrogate keys: separated by spaces, in `Cache-Tag` by commas. @default "Surrogate-Key" */
  readonly keyHeader?: "Surrogate-Key" | "Cache-Tag";
}

/** The schema of the block `cache`. */
export const cacheSchema = z.strictObject({
  purge: z.custom<() => never>((value) => typeof value === "function").meta({ expected: "a function" }),
  keyHeader: z.enum(["Surrogate-Key", "Cache-Tag"]).optional(),
});
