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
  /** The change of the log to which a job without data refers. */
  readonly changeId?: bigint;
  /** The target of a job of an ordered queue. */
  readonly target?: RunningTarget;
}

/** The target of a running job, such as an endpoint. */
export interface RunningTarget {
  readonly name: string;
  /** Runs no job of the target in this time, in any process. @param seconds from the end of the attempt */
  pause(seconds: number): void;
  /** Delays the next jobs of the target, in all processes together. @param seconds the part of its rate that the job uses */
  addCost(seconds: number): void;
  /** Deletes the waiting jobs of the target, in the background. */
  drop(): void;
}

/** How the targets of an ordered queue share its concurrency, so that a slow one does not delay the others. */
export interface QueueTargets {
  /** Maximum number of jobs of any target that run at the same time in this process. */
  readonly max: number;
  /** Maximum number of jobs of a target that run at the same time in this process: at most {@link max}. */
  limitOf(target: string): number;
  /** Returns the owner of a target. `undefined` for a target without a limit of its owner. */
  ownerOf(target: string): string | undefined;
  /** Maximum number of jobs of all targets of an owner that run at the same time in this process. */
  readonly perOwner: number;
  /** Returns the target of a job that an earlier version has stored. */
  readonly ofStored?: (data: object) => string;
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
  /** @default all jobs have the same target, and only {@link concurrency} limits them */
  readonly targets?: QueueTargets;
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
  /** See {@link QueueOptions.targets}. */
  readonly target?: string | undefined;
}

/** A job for a change. In an ordered queue the ids of changes order the jobs of a key. */
export interface ChangeJobToSend extends Omit<JobToSend, "data"> {
  readonly queue: string;
  readonly changeId: bigint;
  /** Without it the job refers to the change. Only jobs of ordered queues can. */
  readonly data?: object;
}

/** A change whose jobs could not be made. */
export interface FailedChange {
  readonly queue: string;
  readonly target: string;
  readonly key: string;
  readonly changeId: bigint;
  /** The message of the error. */
  readonly error: string;
}

/** The right of one process to do something alone. It lasts ten seconds by the clock of the database. */
export interface Leadership {
  /** Acquires it, or extends it. @returns `false` while another process has it */
  acquire(): Promise<boolean>;
  /**
   * Locks it in a transaction, so that no other process acquires it before the transaction ends.
   *
   * @throws {Error} if another process has acquired it since
   */
  confirm(transaction: PrismaHandle): Promise<void>;
  /** Ends it, so that another process need not wait. */
  release(): Promise<void>;
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
  /** Its data, or its target and the id of its change. */
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
  /** Sends jobs of changes to their queues. */
  sendForChanges(jobs: readonly ChangeJobToSend[], options: SendOptions): Promise<void>;
  /** Stores a change as a failed job, which can be tried again. */
  addFailed(change: FailedChange, options: SendOptions): Promise<void>;
  /** The first change that a waiting or a failed job needs; `undefined` without one. */
  firstNeededChange(): Promise<bigint | undefined>;
  /** Returns the leadership of this object for a name. */
  leadership(name: string): Leadership;
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
