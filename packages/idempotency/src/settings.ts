import type { ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** The name of the model that keeps keys. */
export const keyModelName = "IdempotencyKey";

/** Requests that are carried out once (contract C49). On by itself where the schema has the model `IdempotencyKey`. */
export interface IdempotencyConfig {
  /**
   * Where keys and answers are kept: in the model `IdempotencyKey`, in the transaction of each write, or in Redis, which is
   * weaker. @default "database"
   */
  readonly store?: "database" | "redis";
}

const keys: ShapeOf<IdempotencyConfig> = { store: z.enum(["database", "redis"]).optional() };

/** The shape of the block `idempotency`. */
export const idempotencySchema = z.strictObject(keys);
