import { milliseconds, type ShapeOf } from "@servicekit/router/settings";
import { z } from "zod";

/** Time limits in milliseconds (contract C43). */
export interface TimeoutsConfig {
  /** From the end of a request's body to its response. @default 30000 */
  readonly request?: number;
  /** Silence while a request is received. @default 10000 */
  readonly idle?: number;
  /** The complete body of a request, while the service waits for it. @default 3600000 */
  readonly body?: number;
  /** The headers of a request. @default 10000 */
  readonly headers?: number;
  /** How long an idle connection stays open: longer than load balancers do. @default 72000 */
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

/** The schema of the block `timeouts`. */
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
