import type { Auth } from "@servicekit/auth";
import { StartupError } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import type { DatabaseKeys, Idempotency, KeyStore } from "@servicekit/idempotency";
import { keyModelName } from "@servicekit/idempotency/settings";
import type { Database, Models } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { Redis } from "../redis/open-redis.js";
import type { Retention } from "./start-retention.js";

/** The handling of idempotent requests. */
export interface IdempotencyContext {
  readonly settings: ServiceSettings;
  readonly database: Database | undefined;
  readonly redis: Redis | undefined;
  /** Returns the current permissions of callers. */
  readonly auth: Pick<Auth, "permissionsOf"> | undefined;
  readonly logger: Logger;
}

/** Executes requests once, and deletes expired keys. */
export interface OpenIdempotency extends Idempotency {
  /** Deletes expired keys; `undefined` if Redis does. */
  readonly retention: Retention | undefined;
}

/** After the time limit of a request, its claim expires soon. */
const leastLeaseMs = 60_000;

/**
 * Creates the handling of idempotent requests (contract C49), if the schema has the model `IdempotencyKey`, or if Redis
 * is configured as the store; the package is loaded only then.
 *
 * @throws {StartupError} with the issues of the model, and for a missing store
 */
export async function openIdempotency(context: IdempotencyContext): Promise<OpenIdempotency | undefined> {
  const { settings, database, redis, auth, logger } = context;
  const { store } = settings.idempotency ?? {};
  if (store === undefined && database?.models.has(keyModelName) !== true) {
    if (settings.idempotency !== undefined) throw noStore(database?.models);
    return undefined;
  }
  const library = await import("@servicekit/idempotency");
  const times = { leaseMs: Math.max(leastLeaseMs, 2 * settings.timeouts.request) };
  const open = (): KeyStore | DatabaseKeys => {
    if (store === "redis") {
      if (redis === undefined) throw issue('is "redis", but Redis is not configured: set redis.url (REDIS_URL).');
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
    log: (error, request) => logger.error({ err: error, reqId: request.id }, notStored),
  });
  return { ...made, retention: "deleteExpired" in keys ? { run: keys.deleteExpired } : undefined };

  function noStore(models: Models | undefined): StartupError {
    const near = nearestWord(keyModelName, models?.keys() ?? []);
    const hint = near === undefined ? "" : ` Did you mean the model ${near}?`;
    return issue(`requires a model ${keyModelName} in the schema, or store: "redis".${hint}`);
  }
}

const notStored = "a response could not be stored for its Idempotency-Key: the repeated request may be executed again";

const weaker =
  "idempotency keys are stored in Redis: when a process ends between a write and its record, the request may be executed again. With the model IdempotencyKey they are stored in the transaction of the write.";

const issue = (message: string): StartupError => new StartupError([{ where: "idempotency", message }]);
