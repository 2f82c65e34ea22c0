import { milliseconds, type ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** Rejects requests that would wait too long (contract C70). Off without this block. */
export interface LoadSheddingConfig {
  /** @default true where the block is there */
  readonly enabled?: boolean;
  /** Maximum wait of a new request, in milliseconds; above it the response is 503. @default 500 */
  readonly maxWait?: number;
}

const keys: ShapeOf<LoadSheddingConfig> = {
  enabled: z.boolean().optional(),
  maxWait: milliseconds.optional(),
};

/** The schema of the block `loadShedding`. */
export const loadSheddingSchema = z.strictObject(keys);

/** Validates the block `loadShedding`; `undefined` if it is off. */
export function readLoadShedding(config: LoadSheddingConfig | undefined): { readonly maxWait: number } | undefined {
  return config === undefined || config.enabled === false ? undefined : { maxWait: config.maxWait ?? 500 };
}
