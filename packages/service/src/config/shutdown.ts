import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** How the service ends (contract C41, C66). Times in milliseconds. */
export interface ShutdownConfig {
  /**
   * How long the service goes on after SIGTERM while it says that it is not ready, in milliseconds: as long as
   * balancers need to notice (contract C66). @default 5000 in production, else 0
   */
  readonly delay?: number;
  /** How long running requests may take to end, in milliseconds. @default 10000 */
  readonly drain?: number;
}

const keys: ShapeOf<ShutdownConfig> = {
  delay: z.int().min(0).optional(),
  drain: z.int().min(0).optional(),
};

/** The shape of the block `shutdown`. */
export const shutdownSchema = z.strictObject(keys);

/** In development nobody waits: there is no balancer. */
export const defaultShutdown = (nodeEnv: string): Required<ShutdownConfig> => ({
  delay: nodeEnv === "production" ? 5_000 : 0,
  drain: 10_000,
});
