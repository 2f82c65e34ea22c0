import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** The shutdown of the service (contract C41, C66). Times in milliseconds. */
export interface ShutdownConfig {
  /**
   * How long the service continues after SIGTERM while it reports that it is not ready, in milliseconds: as long as
   * load balancers need to notice (contract C66). @default 5000 in production, otherwise 0
   */
  readonly delay?: number;
  /** Maximum duration of running requests, in milliseconds. @default 10000 */
  readonly drain?: number;
}

const keys: ShapeOf<ShutdownConfig> = {
  delay: z.int().min(0).optional(),
  drain: z.int().min(0).optional(),
};

/** The schema of the block `shutdown`. */
export const shutdownSchema = z.strictObject(keys);

/** In development there is no load balancer. */
export const defaultShutdown = (nodeEnv: string): Required<ShutdownConfig> => ({
  delay: nodeEnv === "production" ? 5_000 : 0,
  drain: 10_000,
});
