import type { Database, Models } from "@servicekit/orm";
import { declareRoute, type RouteConfig, ServiceRouter } from "@servicekit/router";
import type { RequestHandler } from "express";
import { type BodySchemas, makeBodySchemas } from "./body/body-schemas.js";
import { type Operation, operationNames, operations } from "./operations/operation.js";
import { runOperation } from "./operations/run-operation.js";
import { queryOptions } from "./pipeline/query-options.js";
import { sendResponse } from "./pipeline/send-response.js";
import { makeResources, type Resource } from "./resource.js";
import { resourcePaths } from "./resource-path.js";
import { checkModelConfigs, type ModelRouterSettings } from "./settings.js";

/** What the generated routes are made from. */
export interface ModelRouterOptions {
  readonly models: Models;
  readonly database: Database;
  readonly settings: ModelRouterSettings;
}

/**
 * Makes the router of all generated routes: for each model the eight operations of the specification's table "Model
 * router", as ordinary declarations. Mount it at `/api`.
 *
 * @throws {StartError} for two models with one path, or a configuration of a model or operation that does not exist
 */
export function makeModelRouter({ models, database, settings }: ModelRouterOptions): ServiceRouter {
  checkModelConfigs(settings.models, models);
  const resources = makeResources(models, resourcePaths(models), settings);
  const router = ServiceRouter();
  const context = {
    resources,
    limits: settings.query,
    include: settings.include,
    parseDoubleUnderscore: settings.parseDoubleUnderscore,
  };
  for (const resource of resources.values()) {
    const schemas = lazily(() => makeBodySchemas(resource));
    for (const operation of operationNames) {
      if (!isOpen(operation, resource, settings)) continue;
      const { method, suffix } = operations[operation];
      const run: RequestHandler = async (request, response, next) => {
        await runOperation[operation]({ database, resource }, request, response);
        next();
      };
      declareRoute(router, {
        method,
        config: { path: `/${resource.path}${suffix}`, queryParser: false, ...validationOf(operation, schemas) },
        handlers: [queryOptions(operation, resource, context), run, sendResponse(resource, models)],
        origin: {
          place: `the generated route ${operation} of the model ${resource.model.name}`,
          resource: resource.model.resource,
          operation,
          model: resource.model.name,
        },
      });
    }
  }
  return router;
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

function validationOf(operation: Operation, schemas: () => BodySchemas): Partial<Pick<RouteConfig, "validation">> {
  return operation === "findMany" || operation === "findOne" || operation === "deleteOne"
    ? {}
    : { validation: { body: schemas()[operation] } };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
