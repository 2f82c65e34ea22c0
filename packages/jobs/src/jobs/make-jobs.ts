import { StartupError, type StartupIssue } from "@servicekit/core";
import type { PrismaHandle } from "@servicekit/prisma";
import type { z } from "zod";
import type { QueueSchedule, Queues, RunningJob } from "../queues.js";
import { parseSchedule } from "../schedules/parse-schedule.js";
import { UnrecoverableError } from "../unrecoverable-error.js";
import type { Job } from "./job.js";
import { readPayload, type StoredPayload, toStored } from "./read-payload.js";

/** How a job is sent. */
export interface SendJobOptions {
  /**
   * The client of a transaction of Prisma Client: the job exists if it commits. A job that is sent inside of
   * `database.transaction` is part of that transaction without it.
   */
  readonly transaction?: PrismaHandle | undefined;
  /** Orders the jobs with the same key, if the job has `ordered: true`. */
  readonly key?: string | undefined;
  /** When it may run first. @default immediately */
  readonly startAfter?: Date | undefined;
  /** A UUID: a second job with the same id is ignored. @default a random one */
  readonly id?: string | undefined;
}

/** Sends jobs. */
export interface JobSender {
  /**
   * Sends a job, in the open transaction if there is one.
   *
   * @returns the id, or `undefined` if a job with this id exists
   * @throws {TypeError} if the payload is invalid
   */
  send<Schema extends z.ZodType>(
    job: Job<Schema>,
    payload: z.input<Schema>,
    options?: SendJobOptions,
  ): Promise<string | undefined>;
}

/** Options of {@link makeJobs}. */
export interface JobsOptions {
  readonly queues: Queues;
  readonly jobs: readonly Job[];
  /** Runs a handler with its context. */
  readonly run: (job: RunningJob, handle: (context: object) => unknown) => unknown;
  /** Returns the client of the open transaction of the running code. */
  readonly transaction: () => PrismaHandle | undefined;
  /** Calls a function after the commit of that transaction, and not after a rollback. */
  readonly afterCommit: (listener: () => void) => void;
}

/** Jobs by their queues. */
export interface Jobs extends JobSender {
  /** Returns the schedules of the jobs, by queue. */
  schedules(): Promise<ReadonlyMap<string, QueueSchedule>>;
}

/**
 * Defines a queue for each job.
 *
 * @throws {StartupError} with the issues of schedules
 */
export function makeJobs({ queues, jobs, run, transaction, afterCommit }: JobsOptions): Jobs {
  const issues = jobs.flatMap(scheduleIssues);
  if (issues.length > 0) throw new StartupError(issues);
  for (const job of jobs) {
    const { name, concurrency, retries, ordered, timeoutSeconds } = job;
    queues.define<StoredPayload>({
      name,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(retries === undefined ? {} : { retries }),
      ...(ordered === undefined ? {} : { ordered }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      handler: async (running) => {
        const payload = await readPayload(job, running.data?.payload).catch((error: Error) => {
          // It was valid for an earlier version of the schema: no retry changes that.
          throw new UnrecoverableError(error.message);
        });
        await run(running, (context) => job.handler(payload, context as never));
      },
    });
  }
  const known = new Set(jobs.map(({ name }) => name));
  return {
    async send(job, payload, { transaction: given, ...options } = {}) {
      if (!known.has(job.name))
        throw new TypeError(`The job ${job.name} is not one of this service. Move it to src/jobs/${job.name}.job.ts.`);
      const data = await toStored(job as unknown as Job, payload);
      const open = given === undefined ? transaction() : undefined;
      const id = await queues.send(job.name, { data, ...options }, { transaction: given ?? open });
      // Without it the job waits until the queue is polled.
      if (open !== undefined) afterCommit(() => queues.wake([job.name]));
      return id;
    },
    async schedules() {
      const found = new Map<string, QueueSchedule>();
      for (const job of jobs) {
        if (job.schedule === undefined) continue;
        const { payload, ...schedule } = job.schedule;
        found.set(job.name, { ...schedule, data: await toStored(job, payload) });
      }
      return found;
    },
  };
}

function scheduleIssues({ name, schedule, ordered = false }: Job): readonly StartupIssue[] {
  if (schedule === undefined) return [];
  const where = `jobs/${name}.job`;
  const keyless = "schedule and ordered cannot be combined: jobs of a schedule have no key. Remove one of them.";
  const issues = ordered ? [{ where, message: keyless }] : [];
  try {
    parseSchedule(schedule.cron, schedule.timeZone ?? "UTC");
    return issues;
  } catch (error) {
    return [...issues, { where: `${where}: schedule.cron`, message: (error as Error).message }];
  }
}
