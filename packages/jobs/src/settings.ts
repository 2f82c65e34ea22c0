import { z } from "zod";

/** Which processes run jobs. */
export interface JobsConfig {
  /**
   * `"in-process"`: each process of the service; `"worker"`: only those of `service worker`.
   *
   * @default "in-process"
   */
  readonly run?: "in-process" | "worker";
  /**
   * Days after which the retention of the change log does not wait for a consumer any more that has not read its changes: it is logged, and
   * misses those that are deleted. @default 30
   */
  readonly maxLagDays?: number;
}

/** The schema of the block `jobs`. */
export const jobsSchema = z.strictObject({
  run: z.enum(["in-process", "worker"]).optional(),
  maxLagDays: z.int().min(1).max(3650).optional(),
});

const seconds = z
  .int()
  .min(0)
  .max(30 * 86_400);
const isTimeZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }) !== undefined;
  } catch {
    return false;
  }
};
const isFunction = (value: unknown): boolean => typeof value === "function";

/** The schema of a job. */
export const jobSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
    .meta({ expected: "a name in kebab-case" }),
  payload: z
    .custom<object>((value) => isFunction((value as { safeParseAsync?: unknown } | null)?.safeParseAsync))
    .meta({ expected: "a Zod schema" }),
  handler: z.custom<object>(isFunction).meta({ expected: "a function" }),
  schedule: z
    .strictObject({
      cron: z.string().min(1),
      timeZone: z.string().refine(isTimeZone).meta({ expected: "a time zone such as Europe/Berlin" }).optional(),
      payload: z.unknown(),
    })
    .partial({ payload: true })
    .optional(),
  concurrency: z.int().min(1).max(1_000).optional(),
  retries: z
    .strictObject({
      limit: z.int().min(0).max(1_000).optional(),
      delaySeconds: seconds.optional(),
      backoff: z.boolean().optional(),
      maxDelaySeconds: seconds.min(1).optional(),
    })
    .optional(),
  ordered: z.boolean().optional(),
  timeoutSeconds: z.int().min(1).max(86_400).optional(),
});

export { isJob, type Job, type JobAttempt, type JobDefinition, toJob } from "./jobs/job.js";
export { positionModelName } from "./position-name.js";
export { type Subscriber, subscriberNames } from "./subscribers/make-subscribers.js";
export { UnrecoverableError } from "./unrecoverable-error.js";
