import type { Database, Model, Models } from "@servicekit/orm";
import { declareRoute, hookHandlers, type LogFault, type RouteConfig, ServiceRouter } from "@servicekit/router";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import { configuredModels } from "./access/configured-models.js";
import { type ModelAccess, operationAccess } from "./access/operation-access.js";
import { makeAccess, reachableWhere, readableWhere } from "./access/request-access.js";
import { readRowFilter } from "./access/row-filter.js";
import { runPermitted } from "./access/run-permitted.js";
import { type BodySchemas, makeBodySchemas } from "./body/body-schemas.js";
import { readFormRow } from "./body/read-form-row.js";
import { makeWritableModels } from "./body/writable-model.js";
import { operationDocumentation } from "./documentation/operation-documentation.js";
import type { Where } from "./filter/where.js";
import { type FaultList, makeFaultList } from "./model-config/fault-list.js";
import type { ModelConfig } from "./model-config/model-config.js";
import { checkQuery } from "./module-schemas/check-query.js";
import { checkSchemaKind, rowSchemas } from "./module-schemas/row-schemas.js";
import { type Operation, operationNames, operations } from "./operations/operation.js";
import type { TransformWrite } from "./operations/rows/plan-row.js";
import { makeRowWriter } from "./operations/rows/row-writer.js";
import { hookName } from "./pipeline/hook-names.js";
import { includeBudget } from "./pipeline/include-budget.js";
import { queryOptions } from "./pipeline/query-options.js";
import { sendResponse } from "./pipeline/send-response.js";
import type { Resource } from "./resource.js";
import { resourcePaths } from "./resource-path.js";
import { checkModelConfigs, type ModelRouterSettings } from "./settings.js";

/** What the generated routes are made from. */
export interface ModelRouterOptions {
  readonly models: Models;
  readonly database: Database;
  readonly settings: ModelRouterSettings;
  /** Who decides over access; given where authentication is on: then each route declares `authentication` (contract C30). */
  readonly access?: ModelAccess;
  /**
   * Changes the data of every row on its way to the database, such as a clear password into its hash. Without it no body
   * sets the password of the user model (contract C11).
   */
  readonly transformWrite?: TransformWrite;
  /** The model of users, to and from which bodies do not connect (contract C13). @default "User" */
  readonly userModel?: string;
  /** Is told what a hook did that could no longer change the answer. */
  readonly log?: LogFault;
}

/** A model as one caller sees it. */
export interface VisibleModel {
  readonly model: Model;
  /** The names of the stored fields and relations that the caller can see. */
  readonly fields: ReadonlySet<string>;
}

/** The router of all generated routes. */
export interface ModelRouter extends ServiceRouter {
  /** The models that the caller of a request may view, for routes that tell of them (contract C46). */
  visibleModels(request: Request): Promise<readonly VisibleModel[]>;
}

/**
 * Makes the router of all generated routes: for each model the eight operations of the specification's table "Model
 * router", as ordinary declarations. Mount it at `/api`.
 *
 * @throws {StartError} for two models with one path, and for everything that is wrong with the models' configuration
 */
export function makeModelRouter(options: ModelRouterOptions): ModelRouter {
  const { database, settings, log, access, transformWrite, userModel = "User" } = options;
  checkModelConfigs(settings.models, options.models);
  const models = configuredModels(options.models, settings.models);
  const seen = makeAccess({ models, paths: resourcePaths(models), settings, access });
  const { resources } = seen.whole;
  const router = ServiceRouter();
  const context = {
    database,
    userModel,
    limits: settings.query,
    parseDoubleUnderscore: settings.parseDoubleUnderscore,
    allowDangerousOrmQueryOptions: settings.allowDangerousOrmQueryOptions,
  };
  const writables = makeWritableModels(resources, models, {
    models: settings.models,
    userModel,
    hashesPassword: transformWrite !== undefined,
  });
  const writer = makeRowWriter({
    writables,
    transformWrite,
    rights: { readable: readableWhere, reachable: reachableWhere },
  });
  const documented = { resources, writables, settings, made: new Map() };
  const faults = makeFaultList();
  for (const resource of resources.values()) {
    const config = settings.models[resource.model.name] ?? {};
    const include = { ...settings.include, ...config.include };
    const given = rowSchemas(resource, config.schemas, settings, faults);
    const schemas = lazily(() => makeBodySchemas(resource, writables, given));
    // Before the generated routes, so that a route of the module goes first.
    if (config.router !== undefined) router.use(`/${resource.path}`, config.router as RequestHandler);
    for (const operation of operationNames) {
      if (!isOpen(operation, resource, settings)) continue;
      const { method, suffix } = operations[operation];
      const run: RequestHandler = async (request, response, next) => {
        await runPermitted(operation, { database, resource, writer }, request, response);
        if (!response.headersSent) next();
      };
      const hooks = (time: "before" | "after"): RequestHandler[] => {
        const name = hookName(time, operation);
        return hookHandlers(config.hooks?.[name], `${name} of ${resource.model.name}`, log);
      };
      declareRoute(router, {
        method,
        config: {
          path: `/${resource.path}${suffix}`,
          queryParser: false,
          ...validationOf(operation, schemas, config.schemas !== undefined),
          ...uploadsOf(operation, config),
          ...(access === undefined
            ? {}
            : { authentication: operationAccess(operation, resource.model.resource, config.auth) }),
        },
        handlers: [
          seen.step,
          ...queryCheck(operation, resource, settings, faults),
          queryOptions(operation, resource, { ...context, include }, standing(operation, resource, config, models)),
          ...hooks("before"),
          ...(method === "get" ? [includeBudget(resource, database, include)] : []),
          run,
          ...hooks("after"),
          sendResponse(resource),
        ],
        origin: {
          place: `the generated route ${operation} of the model ${resource.model.name}`,
          resource: resource.model.resource,
          operation,
          model: resource.model.name,
          readFields: (fields) => readFormRow(writables.get(resource.model.name), writables, fields),
          documentation: () => operationDocumentation(operation, resource, documented),
        },
      });
    }
  }
  faults.throwIfAny();
  const visibleModels = async (request: Request): Promise<readonly VisibleModel[]> => {
    const { view } = await seen.find(request);
    return [...view.resources.values()].flatMap(({ model, fields, relations }) => {
      if (view.viewable?.has(model.name) === false) return [];
      return [{ model, fields: new Set([...fields.keys(), ...relations.keys()]) }];
    });
  };
  return Object.assign(router, { visibleModels });
}

/** Whether a model has this operation: by its kind, by `strict`, and by its own configuration (contract C7, C15). */
function isOpen(operation: Operation, { model }: Resource, { strict, models }: ModelRouterSettings): boolean {
  if (strict === true) return false;
  const { method, suffix, bulk } = operations[operation];
  if (model.key === undefined && suffix === "/:id") return false;
  if (method !== "get" && (model.isView || model.key === undefined)) return false;
  if (method === "post" && !model.isCreatable) return false;
  return models[model.name]?.operations?.[operation] ?? !(strict === "no-bulk" && bulk);
}

/** Derived schemas are made with the first body; those of a module at once, so that the start tells their faults. */
function validationOf(
  operation: Operation,
  schemas: () => BodySchemas,
  isGiven: boolean,
): Partial<Pick<RouteConfig, "validation">> {
  if (operation === "findMany" || operation === "findOne" || operation === "deleteOne") return {};
  const make = (): z.ZodType => schemas()[operation];
  return { validation: { body: isGiven ? make() : z.lazy(make) } };
}

/** The filter of the model's default query options, which holds for every caller. */
function standing(
  operation: Operation,
  { model }: Resource,
  { query }: ModelConfig,
  models: Models,
): Where | undefined {
  const where = operation === "findMany" || operation === "findOne" ? query?.[operation]?.where : undefined;
  return where && readRowFilter(where, model, models);
}

/** The files of a body, as any declared route takes them. */
function uploadsOf(operation: Operation, { uploads }: ModelConfig): Partial<Pick<RouteConfig, "experimental">> {
  const declared = operation === "createOne" || operation === "updateOne" ? uploads?.[operation] : undefined;
  return declared === undefined ? {} : { experimental: { uploads: declared } };
}

/** The schema that a module gives for the query of its list. */
function queryCheck(
  operation: Operation,
  { model }: Resource,
  settings: ModelRouterSettings,
  faults: FaultList,
): RequestHandler[] {
  const schema = settings.models[model.name]?.schemas?.query;
  if (operation !== "findMany" || schema === undefined) return [];
  const isUsable = checkSchemaKind(`models.${model.name}.schemas.query`, schema, settings.resolver, faults);
  return isUsable ? [checkQuery(schema, settings.validationOptions)] : [];
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
