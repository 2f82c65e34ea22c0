import type { Database } from "@servicekit/prisma";
import { makeErrorHandler } from "@servicekit/router";
import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { logRejections } from "../logging/explain-rejection.js";
import { logError } from "../logging/log-error.js";
import { translateDatabaseErrors } from "./translate-database-errors.js";

/** Ours, the user's replacement, or none: then Express's own responds. */
export function lastErrorHandler(
  { middlewares, nodeEnv, authentication }: ServiceSettings,
  logger: Logger,
  database: Database | undefined,
): ErrorRequestHandler[] {
  const { errorHandler } = middlewares;
  if (errorHandler === false) return [];
  return [
    ...(nodeEnv === "development" ? [logRejections(logger, authentication?.mode)] : []),
    errorHandler ?? makeErrorHandler({ log: logError(logger), translate: translateDatabaseErrors(database) }),
  ];
}
