import { milliseconds, type ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** Refuses at once what would wait too long (contract C70). Off without this block. */
export interface LoadSheddingConfig {
  /** @default true where the block is there */
  readonly enabled?: boolean;
  /** How long a new request may have to wait, in milliseconds; over it is answered 503 at once. @default 500 */
  readonly maxWait?: number;
}

const keys: ShapeOf<LoadSheddingConfig> = {
  enabled: z.boolean().optional(),
  maxWait: milliseconds.optional(),
};

/** The shape of the block `loadShedding`. */
export const loadSheddingSchema = z.strictObject(keys);

/** Completes the block `loadShedding`; `undefined` where nothing is shed. */
export function readLoadShedding(config: LoadSheddingConfig | undefined): { readonly maxWait: number } | undefined {
  return config === undefined || config.enabled === false ? undefined : { maxWait: config.maxWait ?? 500 };
}
