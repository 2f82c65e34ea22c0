import type { PrismaHandle } from "@servicekit/prisma";

/** When failed jobs run again. */
export interface JobRetries {
  /** Maximum number of retries. @default 5 */
  readonly limit?: number;
  /** Seconds until the first retry. @default 5 */
  readonly delaySeconds?: number;
  /** Whether each further delay doubles, with jitter. @default true */
  readonly backoff?: boolean;
  /** Maximum delay in seconds. @default 3600 */
  readonly maxDelaySeconds?: number;
}

/** A job that runs. */
export interface RunningJob<Data extends object = object> {
  /** Stays the same for all attempts, also after a failed job is run again manually. */
  readonly id: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly data: Data;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Whether the job fails for good if this attempt fails. */
  readonly isLastAttempt: boolean;
  /** Aborted when the time limit of the job or of a shutdown ends. */
  readonly signal: AbortSignal;
}

/** A queue, and what runs its jobs. */
export interface QueueOptions<Data extends object = object> {
  /** Letters, digits, and `_ - . /`; unique. */
  readonly name: string;
  /**
   * Runs one job. A job whose handler throws runs again; {@link UnrecoverableError} fails it immediately. A job can run
   * more than once, also after it has succeeded, when its process ends before the result is stored.
   */
  readonly handler: (job: RunningJob<Data>) => Promise<unknown> | unknown;
  /** Maximum number of jobs of this queue that run at the same time in this process. @default 1 */
  readonly concurrency?: number;
  readonly retries?: JobRetries;
  /**
   * Whether jobs with the same key run one after the other in the order in which they were sent. A job that waits for a
   * retry delays the later ones of its key; a failed one does not. Each job needs a key. @default false
   */
  readonly ordered?: boolean;
  /**
   * Maximum duration of one attempt in seconds, at most a day: then its signal is aborted and the attempt has failed. In an ordered
   * queue the next job of the key waits until the handler has ended. @default 900
   */
  readonly timeoutSeconds?: number;
}

/** A job to send. */
export interface JobToSend<Data extends object = object> {
  readonly data: Data;
  /** A UUID; a second job with the same id is ignored. @default a random one */
  readonly id?: string | undefined;
  /** See {@link QueueOptions.ordered}. */
  readonly key?: string | undefined;
  /** When it may run first. @default immediately */
  readonly startAfter?: Date | undefined;
}

/** How jobs are sent. */
export interface SendOptions {
  /** The Prisma client of a transaction: the jobs exist if it commits. @default an own transaction */
  readonly transaction?: PrismaHandle | undefined;
}

/** The numbers of jobs of a queue. */
export interface QueueCounts {
  readonly name: string;
  /** Jobs that wait for their first attempt. */
  readonly queued: number;
  readonly active: number;
  /** Jobs that wait for another attempt. */
  readonly retrying: number;
  /** Jobs that have failed for good. */
  readonly failed: number;
}

/** A job that has failed for good. */
export interface FailedJob {
  /** The id for {@link Queues.retryFailed} and {@link Queues.deleteFailed}. */
  readonly id: string;
  /** The id that the handler received. */
  readonly jobId: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly data: unknown;
  /** The number of attempts. */
  readonly attempts: number;
  /** The message of the last error. */
  readonly error: string;
  readonly createdAt: Date;
  readonly failedAt: Date;
}

/** A finished attempt. */
export interface JobRun {
  readonly queue: string;
  readonly outcome: "completed" | "retried" | "failed";
  /** The duration of the handler in seconds. */
  readonly seconds: number;
}

/** When a queue gets a job by itself. */
export interface QueueSchedule {
  /**
   * A cron expression with five fields: minute, hour, day of the month, month and day of the week. A field is `*`, or a list of
   * values and ranges; `*` and ranges may have a step. Months and days of the week may be names of three letters.
   */
  readonly cron: string;
  /** A time zone of the IANA database. @default "UTC" */
  readonly timeZone?: string;
  /** The data of the jobs. @default {} */
  readonly data?: object;
}

/** Queues of jobs in PostgreSQL. */
export interface Queues {
  /** The names of the defined queues. */
  readonly names: readonly string[];
  /**
   * Defines a queue. All processes that send to it define it, whether they run its jobs or not.
   *
   * @throws {TypeError} if the name is invalid or used, or the queues are open
   */
  define<Data extends object>(options: QueueOptions<Data>): void;
  /**
   * Connects, and creates or migrates the tables of the queues. Sending does so when it is needed.
   *
   * @throws {StartupError} if pg-boss is not installed, or the database user may not create the tables
   */
  open(): Promise<void>;
  /** Runs jobs in this process, until {@link close}. */
  run(): Promise<void>;
  /**
   * Sends a job.
   *
   * @returns the id, or `undefined` if a job with this id exists
   */
  send<Data extends object>(queue: string, job: JobToSend<Data>, options?: SendOptions): Promise<string | undefined>;
  /** Sends jobs in one statement; jobs with an existing id are ignored. */
  sendAll(queue: string, jobs: readonly JobToSend[], options?: SendOptions): Promise<void>;
  /** Looks for jobs now: for jobs that were sent in a transaction which has ended since. */
  wake(queues: Iterable<string>): void;
  /**
   * Sends jobs at the times of the schedules, until {@link finish} or another call. The id of a job follows from its queue and time, so
   * any number of processes send it once. The clock is that of the database.
   *
   * @param schedules the schedules by queue
   * @throws {TypeError} if a cron expression is invalid
   */
  setSchedules(schedules: ReadonlyMap<string, QueueSchedule>): Promise<void>;
  /** Counts the jobs of each defined queue. */
  counts(): Promise<readonly QueueCounts[]>;
  /**
   * Reads jobs that have failed for good, the oldest first.
   *
   * @param page `limit` is 1 to 1000; `after` is the id of the last job of the page before
   */
  failed(
    queue: string,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<readonly FailedJob[]>;
  /**
   * Runs failed jobs again, with all retries.
   *
   * @param ids ids of {@link FailedJob}; all without it
   * @returns their number
   */
  retryFailed(queue: string, ids?: readonly string[]): Promise<number>;
  /** Deletes a failed job and returns whether it existed. */
  deleteFailed(queue: string, id: string): Promise<boolean>;
  /**
   * Runs no further jobs, and waits for running ones. Jobs can still be sent.
   *
   * @param timeoutMs Maximum duration of running jobs in milliseconds
   */
  finish(timeoutMs: number): Promise<void>;
  /**
   * Ends the workers, waits for running jobs, returns those that take longer to their queues, and closes the connections.
   *
   * @param timeoutMs Maximum duration of running jobs in milliseconds. @default 10000
   */
  close(timeoutMs?: number): Promise<void>;
}
