import type { Database } from "@servicekit/prisma";
import { makeErrorHandler } from "@servicekit/router";
import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { logError } from "../logging/log-error.js";
import { translateDatabaseErrors } from "./translate-database-errors.js";

/** Ours, the user's replacement, or none: then Express's own responds. */
export function lastErrorHandler(
  { middlewares }: ServiceSettings,
  logger: Logger,
  database: Database | undefined,
): ErrorRequestHandler[] {
  const { errorHandler } = middlewares;
  if (errorHandler === false) return [];
  return [errorHandler ?? makeErrorHandler({ log: logError(logger), translate: translateDatabaseErrors(database) })];
}
