import type { Auth } from "@servicekit/auth";
import { userRules } from "@servicekit/auth/settings";
import type { Idempotency } from "@servicekit/idempotency";
import {
  type ChangeFeed,
  type HistorySource,
  type IndexHintOptions,
  type ModelConfig,
  type ModelRouter,
} from "@servicekit/model-router";
import {
  joinNewValues,
  makeCheckedModelRouter,
  makeTenantValues,
  type RowRoute,
} from "@servicekit/model-router/internal";
import type { Database, PrismaClientLike } from "@servicekit/prisma";
import { type FindPlanGaps, makeGapFinder } from "@servicekit/prisma/internal";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { logError } from "../logging/log-error.js";
import { defaultPoolSize } from "./open-database.js";
import { webhookLimits } from "./webhook-limits.js";

/** The dependencies of the generated routes besides the settings. */
export interface ModelContext {
  readonly database: Database | undefined;
  /** The configuration of every model, including that of its module. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly auth: Auth | undefined;
  readonly logger: Logger;
  /** Stores responses with their writes. */
  readonly idempotency: Idempotency | undefined;
  /** The recorded changes of rows. */
  readonly history: HistorySource | undefined;
  /** Routes of single rows by the name of their model. */
  readonly rowRoutes: Readonly<Record<string, readonly RowRoute[]>> | undefined;
  /** The changes as they are committed. */
  readonly feed: ChangeFeed | undefined;
  /** The database schema of models without one; `undefined` for a client that the application created. */
  readonly schema: string | undefined;
  readonly client: PrismaClientLike | undefined;
}

/** Creates the generated routes if there is a database. Passwords are hashed if authentication is configured. */
export function openModelRouter(
  settings: ServiceSettings,
  { database, models, auth, logger, idempotency, history, rowRoutes, feed, client, schema }: ModelContext,
): ModelRouter | undefined {
  if (database === undefined) return undefined;
  const { modelRouter, validation, tenant, database: configured, nodeEnv } = settings;
  const limits = webhookLimits(settings, database.models);
  const newValues = joinNewValues([
    ...(tenant === undefined ? [] : [makeTenantValues(database.models, tenant)]),
    ...(limits === undefined ? [] : [limits.newValues]),
  ]);
  const router = makeCheckedModelRouter({
    models: database.models,
    database,
    settings: {
      ...modelRouter,
      models,
      ...(validation === undefined
        ? {}
        : { resolver: toResolver(validation.resolver), validationOptions: validation.validationOptions }),
    },
    ...(auth?.router === undefined
      ? {}
      : { access: { allows: auth.allows, rightsOf: auth.rightsOf, renew: auth.renew } }),
    ...(auth === undefined ? {} : { transformWrite: (model, data, batch) => auth.transformWrite(model, data, batch) }),
    ...(auth === undefined ? {} : { endSuspended: auth.endSuspended }),
    ...(newValues === undefined ? {} : { newValues }),
    ...(limits === undefined ? {} : { rowLimits: limits.rowLimits }),
    users: userRules,
    poolSize: configured?.poolSize ?? defaultPoolSize,
    log: logError(logger),
    ...(idempotency === undefined ? {} : { responseStoreOf: idempotency.responseStoreOf }),
    ...(history === undefined ? {} : { history }),
    ...(rowRoutes === undefined ? {} : { rowRoutes }),
    ...(feed === undefined ? {} : { events: feed }),
    ...(nodeEnv !== "development" || client === undefined || schema === undefined
      ? {}
      : { indexHints: indexHints(makeGapFinder({ client, models: database.models, schema }), logger) }),
  });
  for (const { message } of router.leftOut) logger.warn(message);
  return router;
}

const indexHints = (findGaps: FindPlanGaps, logger: Logger): IndexHintOptions => ({
  findGaps,
  report: ({ model, query, index }) =>
    logger.warn({ model, query, index }, `No index supports this list of ${model}. Consider ${index} in the schema.`),
  onError: (err) => logger.debug({ err }, "the indexes of a list could not be checked"),
});

const toResolver = (name: string): "zod" | "class-validator" =>
  name === "zod" || name === "schema-lib" ? "zod" : "class-validator";
