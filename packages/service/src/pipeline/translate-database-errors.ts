import { type Database } from "@servicekit/prisma";
import { databaseError, type ErrorContext } from "@servicekit/prisma/internal";
import type { Request } from "express";

/**
 * Errors of a Prisma client in routes and hooks of the application get the responses of generated routes (contract C17,
 * C62); `undefined` for every other error.
 */
export function translateDatabaseErrors(database: Pick<Database, "models" | "exposeRaisedMessages"> | undefined) {
  return (error: unknown, { method }: Request): unknown =>
    databaseError(error, {
      models: database?.models,
      exposeRaisedMessages: database?.exposeRaisedMessages,
      operation: operations[method] ?? "read",
    });
}

/** The usual write of a method. */
const operations: Readonly<Record<string, ErrorContext["operation"]>> = {
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};
