import { milliseconds, type ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** Time limits in milliseconds (contract C43). */
export interface TimeoutsConfig {
  /** From the end of a request's body to its answer. @default 30000 */
  readonly request?: number;
  /** Silence while a request is received. @default 10000 */
  readonly idle?: number;
  /** The whole body of a request, as far as the service waits for it. @default 3600000 */
  readonly body?: number;
  /** The headers of a request. @default 10000 */
  readonly headers?: number;
  /** How long an idle connection is kept: longer than balancers in front keep theirs. @default 72000 */
  readonly keepAlive?: number;
  /** One statement of the database. @default 5000 */
  readonly statement?: number;
  /** Waiting for a free database connection. @default 2000 */
  readonly poolWait?: number;
}

const keys: ShapeOf<TimeoutsConfig> = {
  request: milliseconds.optional(),
  idle: milliseconds.optional(),
  body: milliseconds.optional(),
  headers: milliseconds.optional(),
  keepAlive: milliseconds.optional(),
  statement: milliseconds.optional(),
  poolWait: milliseconds.optional(),
};

/** The shape of the block `timeouts`. */
export const timeoutsSchema = z.strictObject(keys);

export const defaultTimeouts: Required<TimeoutsConfig> = {
  request: 30_000,
  idle: 10_000,
  body: 3_600_000,
  headers: 10_000,
  keepAlive: 72_000,
  statement: 5_000,
  poolWait: 2_000,
};
