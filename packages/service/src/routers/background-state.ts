import type { ChangeSignal } from "@servicekit/changes";
import type { ConsumerLag, QueueCounts, Queues } from "@servicekit/jobs";
import type { Database, Row } from "@servicekit/prisma";
import { webhookModelName } from "@servicekit/webhooks/settings";
import type { Logger } from "pino";

/** Jobs, subscribers and webhooks. */
export interface BackgroundWork {
  /** `undefined` without jobs, subscribers and webhooks. */
  readonly queues: Queues | undefined;
  readonly hasWebhooks: boolean;
  /** Whether this process runs jobs. */
  isRunning(): boolean;
  /** The numbers of jobs by queue. */
  counts(): Promise<readonly QueueCounts[]>;
  /** How far subscribers and webhooks are behind the changes. */
  lags(): Promise<readonly ConsumerLag[]>;
}

/** What the state is read from. */
export interface BackgroundSources {
  readonly background: BackgroundWork;
  /** The open event streams; `undefined` without events. */
  readonly feed: { streams(): number } | undefined;
  readonly commits: ChangeSignal | undefined;
  readonly database: Database | undefined;
  readonly logger: Logger;
}

/** The state of the work besides requests; a part that the service does not have is missing, one that cannot be read is null. */
export interface BackgroundState {
  readonly jobs?: { readonly isRunning: boolean; readonly queues: readonly QueueCounts[] } | null;
  readonly changes?: {
    /** How this process notices the commits of others; `off` while nothing follows the changes. */
    readonly reader: "listening" | "polling" | "off";
    readonly streams: number;
    readonly consumers: readonly ConsumerLag[];
  } | null;
  readonly webhooks?: {
    readonly active: number;
    /** Active ones whose last attempts have failed. */
    readonly failing: number;
    /** Those that the service has deactivated: at most 100, the latest first. */
    readonly deactivated: readonly Row[];
  } | null;
}

/** The maximum number of deactivated webhooks in the state. */
const maxDeactivated = 100;

/** Reads the state. */
export async function readBackgroundState(sources: BackgroundSources): Promise<BackgroundState> {
  const { background, feed, commits, database, logger } = sources;
  const { queues, lags, counts, isRunning, hasWebhooks } = background;
  const part = async <Part>(name: string, read: () => Promise<Part>): Promise<Part | null> => {
    try {
      return await read();
    } catch (err) {
      logger.warn({ err, part: name }, "a part of the health details cannot be read");
      return null;
    }
  };
  const rows = hasWebhooks ? webhooksOf(database) : undefined;
  const [jobs, changes, webhooks] = await Promise.all([
    queues && part("jobs", async () => ({ isRunning: isRunning(), queues: await counts() })),
    commits &&
      part("changes", async () => ({
        reader: commits.state(),
        streams: feed?.streams() ?? 0,
        consumers: await lags(),
      })),
    rows &&
      part("webhooks", async () => ({
        active: await rows.count({ where: { active: true } }),
        failing: await rows.count({ where: { active: true, failingSince: { not: null } } }),
        deactivated: await rows.findMany({
          where: { active: false, disabledReason: { not: null } },
          select: { id: true, url: true, disabledReason: true, failingSince: true },
          orderBy: [{ failingSince: "desc" }],
          take: maxDeactivated,
        }),
      })),
  ]);
  return {
    ...(jobs === undefined ? {} : { jobs }),
    ...(changes === undefined ? {} : { changes }),
    ...(webhooks === undefined ? {} : { webhooks }),
  };
}

function webhooksOf(database: Database | undefined) {
  const model = database?.models.get(webhookModelName);
  return model && database?.of(model);
}
