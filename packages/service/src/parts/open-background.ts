import type { Change, ChangeReader, ChangeSignal } from "@servicekit/changes";
import { StartupError, type StartupIssue } from "@servicekit/core";
import type {
  ChangeConsumer,
  ConsumerLag,
  Dispatcher,
  JobRun,
  JobSender,
  QueueCounts,
  Queues,
  RunningJob,
} from "@servicekit/jobs";
import type { Job } from "@servicekit/jobs/settings";
import type { Mailer } from "@servicekit/mailer";
import { isRecorded } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { retriedError } from "../logging/error-reason.js";
import type { TransactionScope } from "../transaction-scope.js";
import { cachePurge } from "./cache-purge.js";
import { databaseSchema } from "./database-schema.js";
import type { OpenDatabase } from "./database-types.js";
import type { OpenChanges } from "./open-changes.js";
import type { ServiceModules } from "./open-modules.js";
import { type OpenWebhooks, openWebhooks, type WebhooksContext } from "./open-webhooks.js";
import type { Retention } from "./start-retention.js";

/** The work of a service besides its requests: jobs, subscribers to changes, and webhooks. */
export interface Background extends Partial<Pick<OpenWebhooks, "rowRoutes" | "documents">> {
  readonly jobs: JobSender;
  /** `undefined` without jobs, subscribers and webhooks. */
  readonly queues: Queues | undefined;
  /** Deletes old rows of the delivery log; `undefined` without webhooks of the model. */
  readonly retention: Retention | undefined;
  /** The names of the consumers of the change log. */
  readonly consumers: readonly string[];
  /** Whether messages are sent to webhooks. */
  readonly hasWebhooks: boolean;
  /** Whether this process runs jobs. */
  isRunning(): boolean;
  /** The numbers of jobs by queue. */
  counts(): Promise<readonly QueueCounts[]>;
  /** The first change that a job needs; `undefined` without one. */
  firstNeededChange(): Promise<bigint | undefined>;
  /** How far subscribers and webhooks are behind the changes. */
  lags(): Promise<readonly ConsumerLag[]>;
  /**
   * Runs jobs, and turns changes into jobs from now on. While the database is unavailable it tries again.
   *
   * @throws {StartupError} if pg-boss is not installed, or the database user may not create its tables
   */
  start(): Promise<void>;
  /**
   * Runs no further jobs, and waits for running ones.
   *
   * @param timeoutMs maximum duration of running jobs in milliseconds
   */
  finish(timeoutMs: number): Promise<void>;
  /** Returns jobs that still run to their queues, and closes the connections. */
  close(): Promise<void>;
}

/** What the work needs. */
export interface BackgroundContext {
  readonly settings: ServiceSettings;
  readonly models: Models;
  readonly modules: ServiceModules;
  readonly opened: OpenDatabase | undefined;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly jobs: readonly Job[];
  readonly transactions: TransactionScope | undefined;
  /** Whether jobs of the service follow the changes. */
  readonly hasConsumers: boolean;
  /** `undefined` if none are recorded. */
  readonly changes: OpenChanges | undefined;
  /** Reports commits of recorded changes. */
  readonly commits: ChangeSignal | undefined;
  readonly onRun: ((run: JobRun) => void) | undefined;
  readonly countWebhook: WebhooksContext["count"];
}

/** The background of a service without jobs, subscribers and webhooks. */
export const noBackground: Background = {
  jobs: {
    send: async ({ name }) => {
      throw new TypeError(`The job ${name} is not one of this service. Move it to src/jobs/${name}.job.ts.`);
    },
  },
  queues: undefined,
  retention: undefined,
  consumers: [],
  hasWebhooks: false,
  isRunning: () => false,
  counts: async () => [],
  firstNeededChange: async () => undefined,
  lags: async () => [],
  start: async () => undefined,
  finish: async () => undefined,
  close: async () => undefined,
};

/** The pause between two attempts to reach the database, in milliseconds. */
const retryMs = 2_000;
/** What remains for jobs that did not end in time, in milliseconds. */
const closeMs = 1_000;

/**
 * Opens the jobs, subscribers and webhooks of a service; their packages are loaded only if there are any. Nothing connects before
 * the first job is sent or {@link Background.start}.
 *
 * @throws {StartupError} with the issues of jobs and subscribers
 */
export async function openBackground(context: BackgroundContext): Promise<Background> {
  const { settings, models, modules, opened, logger, mailer, jobs: defined, transactions, changes, onRun } = context;
  const subscribers = Object.entries(modules.subscribers ?? {});
  const { databaseUrl: url, webhooks: webhooksConfig, cache } = settings;
  if (defined.length === 0 && !context.hasConsumers) return noBackground;
  if (opened === undefined || url === undefined || !/^postgres(ql)?:/.test(url)) {
    const ofChanges =
      webhooksConfig === undefined ? (["cache", "Purges of a CDN"] as const) : (["webhooks", "Webhooks"] as const);
    const [where, what] = defined[0] === undefined ? ofChanges : [`jobs/${defined[0].name}.job`, "Jobs"];
    const message = `${what} require the block \`database\`, and a DATABASE_URL of PostgreSQL for the queue of their jobs.`;
    throw new StartupError([{ where, message }]);
  }
  const issues = subscribers.flatMap(([model, { module }]) => subscriberIssues(model, module, modules));
  if (issues.length > 0) throw new StartupError(issues);

  const library = await import("@servicekit/jobs");
  const { database, client } = opened;
  const schema = databaseSchema(url);
  const queues = library.makeQueues({
    ...{ url, log: logger, schema: `${schema === "public" ? "servicekit" : schema}_jobs` },
    ...(onRun === undefined ? {} : { onRun }),
  });
  const run = (job: RunningJob, handle: (context: object) => unknown): unknown => {
    const { id, queue, attempt, isLastAttempt, signal } = job;
    const own = { id, attempt, isLastAttempt, signal, logger: logger.child({ job: queue, jobId: id }) };
    const work = (): unknown => handle(Object.freeze({ client, database, mailer, jobs, ...own }));
    return changes === undefined ? work() : changes.scope.inJob(queue, work);
  };
  const jobs = library.makeJobs({
    queues,
    jobs: defined,
    run,
    transaction: () => transactions?.client(),
    afterCommit: (listener) => transactions?.afterCommit(listener),
  });
  const reader = changes?.readerOf(opened);
  const findChange = async (id: bigint): Promise<Change | undefined> => reader?.find(id);
  const webhooks =
    webhooksConfig &&
    (await openWebhooks({ ...context, database, queues, findChange, count: context.countWebhook }, webhooksConfig));
  const subscriberConsumers = library.makeSubscribers({
    ...{ queues, find: findChange },
    subscribers: subscribers.map(([model, { module, handlers }]) => ({ model, queue: `${module}.events`, handlers })),
    run,
  });
  const consumers = [
    ...subscriberConsumers,
    ...(webhooks === undefined ? [] : [webhooks.consumer]),
    ...(cache === undefined ? [] : [cachePurge(cache, models, modules, queues)]),
  ];
  const dispatcher =
    changes === undefined || reader === undefined || consumers.length === 0
      ? undefined
      : await openDispatcher(context, opened, { changes, reader, queues, consumers });

  let retry: NodeJS.Timeout | undefined;
  let isEnding = false;
  let isRunning = false;
  let isRetried = false;
  const begin = async (): Promise<void> => {
    await queues.open();
    await queues.setSchedules(await jobs.schedules());
    await dispatcher?.start();
    await queues.run();
    isRunning = true;
  };
  /** The database may be unavailable at the start: requests wait for it too. */
  const beginLater = (error: unknown): void => {
    if (isEnding) return;
    logger.error(retriedError(error, !isRetried), "background jobs could not be started; this is repeated");
    isRetried = true;
    retry = setTimeout(() => void begin().catch(beginLater), retryMs).unref();
  };
  const start = (): Promise<void> =>
    begin().catch((error: unknown) => {
      if (error instanceof StartupError) throw error;
      beginLater(error);
    });
  return {
    ...{ jobs, queues, start, retention: webhooks?.retention },
    ...(webhooks === undefined ? {} : { rowRoutes: webhooks.rowRoutes, documents: webhooks.documents }),
    counts: () => queues.counts(),
    firstNeededChange: () => queues.firstNeededChange(),
    lags: async () => (await dispatcher?.lag()) ?? [],
    consumers: consumers.map(({ name }) => name),
    hasWebhooks: webhooks !== undefined,
    isRunning: () => isRunning && !isEnding,
    async finish(timeoutMs) {
      isEnding = true;
      clearTimeout(retry);
      await dispatcher?.stop();
      await queues.finish(timeoutMs);
    },
    close: () => queues.close(closeMs),
  };
}

/** The model must be recorded. */
function subscriberIssues(model: string, module: string, { models }: ServiceModules): readonly StartupIssue[] {
  if (isRecorded(models[model] ?? {})) return [];
  const message = `Subscribers need the recorded changes of ${model}. Set changes: true in ${module}.model, or remove the file.`;
  return [{ where: `${module}/${module}.events`, message }];
}

async function openDispatcher(
  { models, logger, commits }: BackgroundContext,
  opened: OpenDatabase,
  parts: {
    readonly changes: OpenChanges;
    readonly reader: ChangeReader;
    readonly queues: Queues;
    readonly consumers: readonly ChangeConsumer[];
  },
): Promise<Dispatcher> {
  const { makeDispatcher, readPositionModel } = await import("@servicekit/jobs");
  const { changes, reader, queues, consumers } = parts;
  return makeDispatcher({
    ...{ database: opened.database, changes: changes.model, reader, queues, consumers, log: logger },
    positions: readPositionModel(models, `${consumers[0]?.name}`),
    // Only keys and tenants are read: jobs refer to their changes.
    maxChangeBytes: 64 * 1024,
    ...(commits === undefined ? {} : { onSignal: commits.onSignal }),
  });
}
