import type { Auth } from "@servicekit/auth";
import { userRules } from "@servicekit/auth/settings";
import type { Idempotency } from "@servicekit/idempotency";
import { type ModelConfig, type ModelRouter } from "@servicekit/model-router";
import { makeCheckedModelRouter, makeTenantValues } from "@servicekit/model-router/internal";
import type { Database } from "@servicekit/prisma";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { logError } from "../logging/log-error.js";
import { defaultPoolSize } from "./open-database.js";

/** The dependencies of the generated routes besides the settings. */
export interface ModelContext {
  readonly database: Database | undefined;
  /** The configuration of every model, including that of its module. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly auth: Auth | undefined;
  readonly logger: Logger;
  /** Stores responses with their writes. */
  readonly idempotency: Idempotency | undefined;
}

/** Creates the generated routes if there is a database. Passwords are hashed if authentication is configured. */
export function openModelRouter(
  { modelRouter, validation, tenant, database: configured }: ServiceSettings,
  { database, models, auth, logger, idempotency }: ModelContext,
): ModelRouter | undefined {
  if (database === undefined) return undefined;
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
    ...(auth?.router === undefined ? {} : { access: { allows: auth.allows, rightsOf: auth.rightsOf } }),
    ...(auth === undefined ? {} : { transformWrite: (model, data, batch) => auth.transformWrite(model, data, batch) }),
    ...(auth === undefined ? {} : { endSuspended: auth.endSuspended }),
    ...(tenant === undefined ? {} : { newValues: makeTenantValues(database.models, tenant) }),
    users: userRules,
    poolSize: configured?.poolSize ?? defaultPoolSize,
    log: logError(logger),
    ...(idempotency === undefined ? {} : { responseStoreOf: idempotency.responseStoreOf }),
  });
  for (const { message } of router.leftOut) logger.warn(message);
  return router;
}

const toResolver = (name: string): "zod" | "class-validator" =>
  name === "zod" || name === "schema-lib" ? "zod" : "class-validator";
