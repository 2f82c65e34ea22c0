import type { z } from "zod";
import type { JobRetries, QueueSchedule } from "../queues.js";

/** A job, and what runs it. */
export interface JobDefinition<Schema extends z.ZodType, Context> {
  /** The name of its queue, in kebab-case; the file of the job is `<name>.job.ts`. */
  readonly name: string;
  /** Validates the payload when the job is sent, and again before it runs. The payload is stored as JSON. */
  readonly payload: Schema;
  /**
   * Runs the job. If it throws, the job runs again; `UnrecoverableError` fails it immediately. It can run more than once
   * for one job.
   */
  handler(payload: z.output<Schema>, context: Context): unknown;
  /** When the job is sent by itself, once for all processes. */
  readonly schedule?: QueueSchedule & {
    /** The payload of these jobs. @default undefined */
    readonly payload?: z.input<Schema>;
  };
  /** Maximum number of these jobs that run at the same time in one process. @default 1 */
  readonly concurrency?: number;
  readonly retries?: JobRetries;
  /** Whether jobs with the same key run one after the other, in the order in which they were sent. @default false */
  readonly ordered?: boolean;
  /** Maximum duration of one attempt in seconds, at most a day. @default 900 */
  readonly timeoutSeconds?: number;
}

/** A defined job. */
export interface Job<Schema extends z.ZodType = z.ZodType> extends JobDefinition<Schema, never> {
  readonly [jobMark]: true;
}

/** The attempt of a job. */
export interface JobAttempt {
  /** Stays the same for all attempts of the job. */
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether the job fails for good if this attempt fails. */
  readonly isLastAttempt: boolean;
  /** Aborted when the time limit of the job or of a shutdown ends. */
  readonly signal: AbortSignal;
}

/** The same in all copies of this package. */
export const jobMark: unique symbol = Symbol.for("@servicekit/job") as never;

/** Whether a value was made by {@link toJob}. */
export const isJob = (value: unknown): value is Job => typeof value === "object" && value !== null && jobMark in value;

/** Marks a definition as a job. */
export const toJob = <Schema extends z.ZodType, Context>(definition: JobDefinition<Schema, Context>): Job<Schema> =>
  Object.freeze({ ...definition, [jobMark]: true as const });
