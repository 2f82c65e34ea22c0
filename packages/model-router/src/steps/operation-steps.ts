import type { Database } from "@servicekit/prisma";
import { hookHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { hookName } from "../model-config/hook-names.js";
import type { OperationContext } from "../operations/operation-context.js";
import { runPermitted } from "../operations/run-permitted.js";
import { attributeErrors, copyInput } from "../pipeline/attribute-errors.js";
import { hidingHook } from "../pipeline/hiding-hook.js";
import { highlight } from "../pipeline/highlight.js";
import { includeBudget } from "../pipeline/include-budget.js";
import { type QueryOptionsContext, queryOptions } from "../pipeline/query-options.js";
import { runAndStore } from "../pipeline/run-and-store.js";
import { sendResponse } from "../pipeline/send-response.js";
import { modelState } from "../request/request-state.js";
import { type Operation, operations } from "../resource/config/operation.js";
import type { ModelRoutes, RouteSource } from "./route-source.js";

/** The steps of one operation, in order (contract C45). */
export interface OperationSteps {
  /** The query options, and the before hooks. */
  readonly before: readonly RequestHandler[];
  /** The operation; it does not call `next` if a hook has responded. */
  readonly run: RequestHandler;
  /** The operation in a transaction of another step, with rows as its result. Its errors do not name items. */
  readonly runIn: (transaction: Database) => RequestHandler;
  readonly after: readonly RequestHandler[];
  readonly send: RequestHandler;
}

/** Whether a body, or an item of it, contains one of these fields. */
const namesAny = (body: unknown, names: readonly string[]): boolean =>
  [body]
    .flat()
    .some((row) => typeof row === "object" && row !== null && names.some((name) => Object.hasOwn(row, name)));

/**
 * Creates the steps of an operation of a model.
 *
 * @param options.search the query, if another step has read that of the request
 * @param options.exported the limits of an export of the list
 * @param options.suffix the path of the route after that of the model, if it is not that of the operation
 */
export function operationSteps(
  operation: Operation,
  given: ModelRoutes,
  { search, exported, suffix }: Pick<QueryOptionsContext, "search" | "exported" | "suffix"> = {},
): OperationSteps {
  const database = databaseOf(operation, given.source);
  const routes = { ...given, source: { ...given.source, database } };
  const { resource, config, include, source } = routes;
  const { settings, log } = source;
  const context = {
    ...settings,
    limits: settings.query,
    include,
    database,
    users: source.users,
    newValues: source.newValues,
    search,
    exported,
    suffix,
    noParameters: operation === "createMany" && config.import === true ? "expected dryRun" : undefined,
  };
  const hooks = (time: "before" | "after"): RequestHandler[] => {
    const name = hookName(time, operation);
    const isStreamed = exported !== undefined;
    return hookHandlers(config.hooks?.[name], `${name} of ${resource.model.name}`, log, { isStreamed }).map((hook) =>
      hidingHook(hook, operation, resource, database),
    );
  };
  const before = hooks("before");
  const hooksAfter = hooks("after");
  const isHighlighted = operation === "findMany" && resource.search?.mode === "fullText";
  const after = isHighlighted ? [...hooksAfter, attributeErrors(highlight(resource, database), undefined)] : hooksAfter;
  const beforeHooks = before.length === 0 ? undefined : `${hookName("before", operation)} of ${resource.model.name}`;
  return {
    before: [queryOptions(operation, resource, context), ...(beforeHooks === undefined ? [] : [copyInput]), ...before],
    runIn: (transaction) =>
      attributeErrors(async (request, response, next) => {
        const run = { ...operationContext(routes), database: transaction, outside: undefined, isSentAsRead: false };
        await runPermitted(operation, run, request, response);
        next();
      }, beforeHooks),
    run: attributeErrors(makeRun(operation, routes, hooksAfter.length === 0), beforeHooks),
    after,
    send: sendResponse(resource, settings.responseBytes),
  };
}

/** What an operation needs from the routes of its model. */
function operationContext({ resource, source }: ModelRoutes): Omit<OperationContext, "isSentAsRead"> {
  const { database, settings, writer, deletions } = source;
  return { database, outside: database, resource, writer, deletions, maxBytes: settings.responseBytes };
}

/** Reads need no current rows, unless a write depends on them. */
const databaseOf = (operation: Operation, { database }: RouteSource): Database =>
  operations[operation].method === "get" ? database.reads : database;

/** @param isSentAsRead whether no after hook needs the rows */
function makeRun(operation: Operation, routes: ModelRoutes, isSentAsRead: boolean): RequestHandler {
  const { resource, include, source } = routes;
  const { database, users, inTurn, log, responseStoreOf } = source;
  const isOfUsers = resource.model.name === users?.model;
  const suspending = isOfUsers && operation.startsWith("update") ? users.suspending : [];
  // Deleted users are suspended, and lose their sessions before they are restored.
  const deletes = resource.deletedField !== undefined && /^(delete|restore)/.test(operation);
  const endSuspended = suspending.length > 0 || (isOfUsers && deletes) ? source.endSuspended : undefined;
  const checkBudget = operations[operation].method === "get" ? includeBudget(resource, database, include) : undefined;
  return async (request, response, next) => {
    await inTurn(modelState(request).cost ?? 0, { request, response }, async () => {
      await checkBudget?.(request);
      const suspends = endSuspended !== undefined && (deletes || namesAny(request.body, suspending));
      if (suspends) await endSuspended();
      const store = responseStoreOf?.(request);
      const run = { ...operationContext(routes), isSentAsRead };
      if (store === undefined) await runPermitted(operation, run, request, response);
      else {
        await runAndStore(store, { database, resource }, request, response, (inside) =>
          runPermitted(operation, { ...run, database: inside, isSentAsRead: false }, request, response),
        );
      }
      // The write is committed. The rest ends with its next use.
      if (suspends) await endSuspended().catch((error: unknown) => log?.(error, request));
    });
    if (!response.headersSent) next();
  };
}
