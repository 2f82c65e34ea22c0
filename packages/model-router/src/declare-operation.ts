import type { IssueList } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { type RouteConfig, type RouteOrigin, type ServiceRouter } from "@servicekit/router";
import { checkedSynchronously, declareRoute, hookHandlers, type LogError } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { makeGrantCheck } from "./access/granted-fields.js";
import { type ModelAccess, operationAccess } from "./access/operation-access.js";
import type { Access } from "./access/request-access.js";
import { hookName } from "./model-config/hook-names.js";
import type { ModelConfig } from "./model-config/model-config.js";
import { checkQuery } from "./module-schemas/check-query.js";
import { exactNumbers } from "./module-schemas/exact-numbers.js";
import { checkSchemaKind } from "./module-schemas/row-schemas.js";
import { type DocumentationSource, operationDocumentation } from "./openapi/operation-documentation.js";
import type { InTurn } from "./operations/expensive-reads.js";
import { runPermitted } from "./operations/run-permitted.js";
import { attributeErrors, copyInput } from "./pipeline/attribute-errors.js";
import { hidingHook } from "./pipeline/hiding-hook.js";
import { includeBudget } from "./pipeline/include-budget.js";
import { queryOptions } from "./pipeline/query-options.js";
import { type ResponseStoreOf, runAndStore } from "./pipeline/run-and-store.js";
import { sendResponse } from "./pipeline/send-response.js";
import { modelState } from "./request-state.js";
import { type BodySchemas, type GivenSchemas, makeBodySchemas } from "./resource/body/body-schemas.js";
import { passOn, passOnLater } from "./resource/body/pass-on.js";
import { readFormRow } from "./resource/body/read-form-row.js";
import { type UserInfo, type WritableModels } from "./resource/body/writable-model.js";
import { ofOperation } from "./resource/of-operation.js";
import { type Operation, operations } from "./resource/operation.js";
import { type Resource, type Resources } from "./resource/resource.js";
import { type IncludeLimits } from "./resource/resource-config.js";
import type { ModelRouterSettings } from "./settings.js";
import type { RowWriter } from "./writes/row-writer.js";

/** The dependencies of all generated routes. */
export interface RouteSource {
  readonly database: Database;
  readonly settings: ModelRouterSettings;
  readonly access: ModelAccess | undefined;
  readonly users: UserInfo | undefined;
  readonly log: LogError | undefined;
  /** Ends the sessions and keys of inactive users. */
  readonly endSuspended: (() => Promise<void>) | undefined;
  /** Determines the view of the caller of a request. */
  readonly accessStep: RequestHandler;
  readonly bodyView: Access["bodyView"];
  readonly resources: Resources;
  readonly writables: WritableModels;
  readonly writer: RowWriter<Request>;
  readonly inTurn: InTurn;
  /** Stores responses with their writes. */
  readonly responseStoreOf: ResponseStoreOf | undefined;
  /** The cached parts of the documentation. */
  readonly documented: DocumentationSource["made"];
  /** The named filter schemas of the document. */
  readonly filters: DocumentationSource["filters"];
  /** The schemas of modules. */
  readonly given: GivenSchemas;
  /** Receives the issues of module schemas. */
  readonly issues: IssueList;
}

/** What the routes of one model share. */
export interface ModelRoutes {
  readonly resource: Resource;
  readonly config: ModelConfig;
  readonly include: IncludeLimits;
  readonly schemas: () => BodySchemas;
  readonly source: RouteSource;
}

/** Creates what the routes of a model share. */
export function modelRoutes(resource: Resource, source: RouteSource): ModelRoutes {
  const { settings, writables, given } = source;
  const config = settings.models[resource.model.name] ?? {};
  return {
    resource,
    config,
    include: { ...settings.include, ...config.include },
    schemas: lazily(() => makeBodySchemas(resource, writables, given)),
    source,
  };
}

/** Declares the route of one operation of a model, like any declared route; `origin` marks it as generated. */
export function declareOperation(router: ServiceRouter, operation: Operation, routes: ModelRoutes): void {
  const { resource, config, source } = routes;
  const { resources, writables, settings, documented, filters } = source;
  const { method, suffix } = operations[operation];
  declareRoute(router, {
    method,
    config: {
      path: `/${resource.path}${suffix}`,
      queryParser: false,
      ...validationOf(operation, routes),
      ...uploadsOf(operation, config),
      ...authenticationOf(operation, routes),
    },
    handlers: pipeline(operation, routes),
    origin: {
      place: `the generated route ${operation} of the model ${resource.model.name}`,
      resource: resource.model.resource,
      operation,
      model: resource.model.name,
      ...(hasRowRule(operation, config) ? { hasRowRule: true } : {}),
      ...(operations[operation].bulk ? { bodyValues: bulkValues(resource) } : {}),
      ...bodyViewOf(operation, routes),
      readFields: (fields) => readFormRow(writables.get(resource.model.name), writables, fields),
      documentation: () =>
        operationDocumentation(operation, resource, {
          ...{ resources, writables, settings, made: documented, filters },
          isGuarded: source.access !== undefined,
        }),
    },
  });
}

/** Whether a body, or an item of it, contains one of these fields. */
const namesAny = (body: unknown, names: readonly string[]): boolean =>
  [body]
    .flat()
    .some((row) => typeof row === "object" && row !== null && names.some((name) => Object.hasOwn(row, name)));

/** Whether the configuration limits the rows of an operation. */
export function hasRowRule(operation: Operation, { auth }: ModelConfig): boolean {
  const own = ofOperation(auth, operation);
  return auth?.where !== undefined || (typeof own === "object" && "where" in own && own.where !== undefined);
}

/**
 * The maximum number of values in a bulk with the maximum number of items, each with every field and relation (contract
 * C59).
 */
function bulkValues({ bulkItems, fields, relations }: Resource): number {
  return bulkItems * (fields.size + relations.size + 2);
}

/** The steps of a generated route, in order (contract C45). */
function pipeline(operation: Operation, { resource, config, include, source }: ModelRoutes): RequestHandler[] {
  const { database, settings, users, writer, inTurn, log, responseStoreOf } = source;
  const suspending = resource.model.name === users?.model && operation.startsWith("update") ? users.suspending : [];
  const endSuspended = suspending.length === 0 ? undefined : source.endSuspended;
  const context = { ...settings, limits: settings.query, include, database, users };
  const hooks = (time: "before" | "after"): RequestHandler[] => {
    const name = hookName(time, operation);
    return hookHandlers(config.hooks?.[name], `${name} of ${resource.model.name}`, log).map((hook) =>
      hidingHook(hook, operation, resource, database),
    );
  };
  const after = hooks("after");
  const isSentAsRead = after.length === 0;
  const checkBudget = operations[operation].method === "get" ? includeBudget(resource, database, include) : undefined;
  const run: RequestHandler = async (request, response, next) => {
    await inTurn(modelState(request).cost ?? 0, { request, response }, async () => {
      await checkBudget?.(request);
      const suspends = endSuspended !== undefined && namesAny(request.body, suspending);
      if (suspends) await endSuspended();
      const store = responseStoreOf?.(request);
      const run = { database, outside: database, resource, writer, maxBytes: settings.responseBytes, isSentAsRead };
      if (store === undefined) await runPermitted(operation, run, request, response);
      else await runAndStore(store, operation, { ...run, isSentAsRead: false }, request, response);
      // The write is committed. The rest ends with its next use.
      if (suspends) await endSuspended().catch((error: unknown) => log?.(error, request));
    });
    if (!response.headersSent) next();
  };
  const before = hooks("before");
  const beforeHooks = before.length === 0 ? undefined : `${hookName("before", operation)} of ${resource.model.name}`;
  return [
    source.accessStep,
    ...queryCheck(operation, resource, source),
    queryOptions(operation, resource, context),
    ...(beforeHooks === undefined ? [] : [copyInput]),
    ...before,
    attributeErrors(run, beforeHooks),
    ...after,
    sendResponse(resource, settings.responseBytes),
  ];
}

/**
 * Derived schemas are created with the first body; those of a module immediately, so that startup reports their issues.
 */
function validationOf(
  operation: Operation,
  { schemas, config, source }: ModelRoutes,
): Partial<Pick<RouteConfig, "validation">> {
  if (operation === "findMany" || operation === "findOne" || operation === "deleteOne") return {};
  // Only schemas of modules, and bulks, are asynchronous.
  const mayWait = source.given.size > 0 || operations[operation].bulk;
  const make = (): z.ZodType =>
    operation === "deleteMany"
      ? schemas()[operation]
      : exactNumbers(schemas()[operation], mayWait ? passOnLater : passOn);
  const body = config.schemas === undefined ? z.lazy(make) : make();
  return { validation: { body: mayWait ? body : checkedSynchronously(body) } };
}

/** The body keys of the route's callers, if they differ. */
function bodyViewOf(operation: Operation, { resource, config, source }: ModelRoutes): Pick<RouteOrigin, "bodyView"> {
  const { bodyView, access, users } = source;
  const { model } = resource;
  if (bodyView === undefined || !/^(create|update)/.test(operation)) return {};
  const check =
    access === undefined || users === undefined
      ? undefined
      : makeGrantCheck(operation, model, { users, delegated: config.writable ?? [] });
  if (check === undefined) return { bodyView: (request) => bodyView(request, model.name) };
  return {
    bodyView: async (request) => {
      const view = await bodyView(request, model.name);
      check(request);
      return view;
    },
  };
}

/** The files of a body, as in any declared route. */
function uploadsOf(operation: Operation, { uploads }: ModelConfig): Partial<Pick<RouteConfig, "experimental">> {
  const declared = operation === "createOne" || operation === "updateOne" ? uploads?.[operation] : undefined;
  return declared === undefined ? {} : { experimental: { uploads: declared } };
}

/** The access of the route, if it is checked. */
function authenticationOf(
  operation: Operation,
  { resource, config, source }: ModelRoutes,
): Partial<Pick<RouteConfig, "authentication">> {
  if (source.access === undefined) return {};
  return { authentication: operationAccess(operation, resource.model.resource, config.auth) };
}

/** The module's schema for the query of its list. */
function queryCheck(operation: Operation, { model }: Resource, { settings, issues }: RouteSource): RequestHandler[] {
  const schema = settings.models[model.name]?.schemas?.query;
  if (operation !== "findMany" || schema === undefined) return [];
  const isUsable = checkSchemaKind(`models.${model.name}.schemas.query`, schema, settings.resolver, issues);
  return isUsable ? [checkQuery(schema, settings.validationOptions)] : [];
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
