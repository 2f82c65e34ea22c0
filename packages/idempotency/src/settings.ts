import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** The name of the model that stores keys. */
export const keyModelName = "IdempotencyKey";

/** Idempotent requests (contract C49). On by default if the schema has the model `IdempotencyKey`. */
export interface IdempotencyConfig {
  /**
   * Where keys and responses are stored: in the model `IdempotencyKey`, in the transaction of each write, or in Redis,
   * which guarantees less. @default "database"
   */
  readonly store?: "database" | "redis";
}

const keys: ShapeOf<IdempotencyConfig> = { store: z.enum(["database", "redis"]).optional() };

/** The shape of the block `idempotency`. */
export const idempotencySchema = z.strictObject(keys);
