import { StartupError } from "@servicekit/core";
import type { ChangeConsumer, Queues } from "@servicekit/jobs";
import { recordedModels, surrogateKeys } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import type { CacheConfig } from "../config/cache.js";
import type { ServiceModules } from "./open-modules.js";

/** The name of the consumer and of its queue. */
export const purgeQueue = "cache-purge";

/** About a day. */
const retries = { limit: 30, delaySeconds: 1, maxDelaySeconds: 3_600 };

/** A job that removes responses from a CDN. */
interface PurgeJob {
  readonly keys: readonly string[];
}

/**
 * The consumer of changes that removes responses from a CDN (contract C124).
 *
 * @throws {StartupError} if no public response can change with a recorded row
 */
export function cachePurge(
  { purge }: CacheConfig,
  models: Models,
  { models: configs }: ServiceModules,
  queues: Queues,
): ChangeConsumer {
  const recorded = recordedModels(configs);
  if (!recorded.some((name) => configs[name]?.cache?.public === true)) {
    const message =
      "No model has public responses and recorded changes. Set cache: { public: true } and changes: true in the configuration of a model.";
    throw new StartupError([{ where: "cache", message }]);
  }
  queues.define<PurgeJob>({
    ...{ name: purgeQueue, concurrency: 10, retries, timeoutSeconds: 60 },
    handler: async ({ data }) => {
      await purge(data.keys);
    },
  });
  return {
    name: purgeQueue,
    jobsOf({ model: name, key }) {
      const model = models.get(name);
      if (model === undefined || !recorded.includes(name)) return [];
      const { list, row } = surrogateKeys(model, key);
      const data: PurgeJob = { keys: [list, row] };
      return [{ queue: purgeQueue, data }];
    },
  };
}
