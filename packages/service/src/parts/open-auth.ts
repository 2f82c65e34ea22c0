import type { Auth, AuthModule } from "@servicekit/auth";
import type { Mailer } from "@servicekit/mailer";
import { fieldSchema } from "@servicekit/model-router/internal";
import type { Database } from "@servicekit/prisma";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import type { Shared } from "../redis/open-shared.js";

/** The dependencies of authentication besides the settings. */
export interface AuthContext {
  readonly settings: ServiceSettings;
  readonly database: Database | undefined;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly shared: Shared | undefined;
  /** The module `auth`. */
  readonly module: AuthModule | undefined;
}

/**
 * Creates the authentication if the configuration has a block for it; its libraries are loaded only then.
 *
 * @throws {StartupError} with all issues of the user model and the module
 */
export async function openAuth(context: AuthContext): Promise<Auth | undefined> {
  const { settings, database, logger, mailer, shared, module } = context;
  const { authentication, email, middlewares } = settings;
  if (authentication === undefined) return undefined;
  const { makeAuth, makeSharedRevokedTokens } = await import("@servicekit/auth");
  const { cors } = middlewares;
  const origins = typeof cors === "object" ? (cors.allowedOrigins ?? []) : [];
  const auth = makeAuth({
    settings: authentication,
    database,
    fieldSchema,
    schemas: module?.schemas,
    hooks: module?.hooks,
    rights: module?.auth,
    moduleRouter: module?.router as RequestHandler | undefined,
    mailer: email === undefined ? undefined : mailer,
    makeStore: shared?.makeStore,
    revoked: shared === undefined ? undefined : makeSharedRevokedTokens(shared.values),
    // Every origin may read, but none of them may use a user's cookie.
    allowedOrigins: origins.filter((origin) => origin !== "*"),
    warn: (message, details) => logger.warn(details, message),
    log: (error, message, request) => logger.error({ err: error, reqId: request?.id }, message),
  });
  for (const warning of auth.warnings) logger.warn(warning);
  return auth;
}
