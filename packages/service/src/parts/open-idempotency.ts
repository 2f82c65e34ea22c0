import type { Auth } from "@servicekit/auth";
import { StartError } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import type { DatabaseKeys, Idempotency, KeyStore } from "@servicekit/idempotency";
import { keyModelName } from "@servicekit/idempotency/settings";
import type { Database, Models } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { Redis } from "../redis/open-redis.js";
import type { ServiceModules } from "./open-modules.js";

/** What repeated requests are answered with. */
export interface IdempotencySurroundings {
  readonly settings: ServiceSettings;
  readonly database: Database | undefined;
  readonly redis: Redis | undefined;
  /** Knows what callers may at this moment. */
  readonly auth: Pick<Auth, "permissionsOf"> | undefined;
  readonly logger: Logger;
}

/** What carries requests out once, and sweeps what is over. */
export interface OpenIdempotency extends Idempotency {
  close(): void;
}

/** How often keys that are over are deleted, in milliseconds. */
const sweepEveryMs = 10 * 60_000;

/** Behind the time limit of a request nobody is believed to be at work on it for much longer. */
const leastLeaseMs = 60_000;

/**
 * Puts together what answers repeated requests once (contract C49), where the schema has the model `IdempotencyKey`, or where
 * Redis is told to keep keys; the package is loaded only then.
 *
 * @throws {StartError} with what is wrong with the model, and for a store that is not there
 */
export async function openIdempotency(surroundings: IdempotencySurroundings): Promise<OpenIdempotency | undefined> {
  const { settings, database, redis, auth, logger } = surroundings;
  const { store } = settings.idempotency ?? {};
  if (store === undefined && database?.models.has(keyModelName) !== true) {
    if (settings.idempotency !== undefined) throw noStore(database?.models);
    return undefined;
  }
  const library = await import("@servicekit/idempotency");
  const times = { leaseMs: Math.max(leastLeaseMs, 2 * settings.timeouts.request) };
  const open = (): KeyStore | DatabaseKeys => {
    if (store === "redis") {
      if (redis === undefined) throw fault('is "redis", but there is no Redis: give redis.url (REDIS_URL).');
      logger.warn(weaker);
      return library.makeRedisKeys((...command) => redis.send(...command), times);
    }
    const model = database && library.readKeyModel(database.models);
    if (database === undefined || model === undefined) throw noStore(database?.models);
    return library.makeDatabaseKeys(database, model, times);
  };
  const keys = open();
  const made = library.makeIdempotency({
    keys,
    ...(auth === undefined ? {} : { permissionsOf: auth.permissionsOf }),
    log: (error, request) => logger.error({ err: error, reqId: request.id }, notKept),
  });
  const stop = "sweep" in keys ? sweepOften(keys, logger) : () => undefined;
  return { ...made, close: stop };

  function noStore(models: Models | undefined): StartError {
    const near = nearestWord(keyModelName, models?.keys() ?? []);
    const hint = near === undefined ? "" : ` Did you mean it by the model ${near}?`;
    return fault(`needs a model ${keyModelName} in the schema, or store: "redis".${hint}`);
  }
}

/** Nobody reads answers of others, nor makes keys, by routes: these are left out unless the configuration opens them. */
export function closeKeyModel(modules: ServiceModules, models: Models | undefined): ServiceModules {
  if (models?.has(keyModelName) !== true) return modules;
  const given = modules.models[keyModelName];
  const closed = { ...given, operations: { all: false, ...given?.operations } };
  return { ...modules, models: { ...modules.models, [keyModelName]: closed } };
}

const notKept = "an answer could not be kept for its Idempotency-Key: sent again, the request may be carried out again";

const weaker =
  "idempotency keys are kept in Redis: a process that ends between a write and its record leaves a request that may be carried out again. The model IdempotencyKey keeps them in the write's own transaction.";

const fault = (message: string): StartError => new StartError([{ where: "idempotency", message }]);

function sweepOften(keys: DatabaseKeys, logger: Logger): () => void {
  const timer = setInterval(() => {
    keys.sweep().catch((error: unknown) => logger.warn({ err: error }, "idempotency keys that are over stay for now"));
  }, sweepEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
