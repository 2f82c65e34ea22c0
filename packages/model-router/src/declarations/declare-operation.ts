import { type RouteConfig, type RouteOrigin, type ServiceRouter } from "@servicekit/router";
import { checkedSynchronously, declareRoute, makeJsonTextReader } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { z } from "zod";
import { makeGrantCheck } from "../access/granted-fields.js";
import { operationAccess } from "../access/operation-access.js";
import { cacheHeaders } from "../caching/cache-headers.js";
import { exportTypes } from "../exports/export-format.js";
import { exportList } from "../exports/export-list.js";
import { bodyFormats } from "../imports/body-formats.js";
import type { ModelConfig } from "../model-config/model-config.js";
import { checkQuery } from "../module-schemas/check-query.js";
import { exactNumbers } from "../module-schemas/exact-numbers.js";
import { checkSchemaKind } from "../module-schemas/row-schemas.js";
import { operationDocumentation } from "../openapi/operation-documentation.js";
import { passOn, passOnLater } from "../resource/body/pass-on.js";
import { readFormRow } from "../resource/body/read-form-row.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { isOffered } from "../resource/config/is-offered.js";
import { type DeletedRight, deletedRights, type Operation, operations } from "../resource/config/operation.js";
import type { Resource } from "../resource/resource.js";
import { operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes, RouteSource } from "../steps/route-source.js";
import { bulkCreate } from "../upsert/bulk-create.js";
import { upsertBody } from "../upsert/upsert-body.js";

/**
 * Declares the route of one operation of a model, like any declared route; `origin` marks it as generated.
 *
 * @param takesUpserts whether a bulk create may meet existing rows
 */
export function declareOperation(
  router: ServiceRouter,
  operation: Operation,
  routes: ModelRoutes,
  takesUpserts = false,
): void {
  const { resource, config, source } = routes;
  const { resources, writables, settings, documented, filters } = source;
  const { method, suffix } = operations[operation];
  const steps = operationSteps(operation, routes);
  declareRoute(router, {
    method,
    config: {
      path: `/${resource.path}${suffix}`,
      queryParser: false,
      ...validationOf(operation, routes),
      ...uploadsOf(operation, config),
      ...authenticationOf(operation, routes),
    },
    handlers: [
      source.accessStep,
      ...(operation === "findMany" && source.indexHints !== undefined ? [source.indexHints(resource)] : []),
      ...queryCheck(operation, resource, source),
      ...(operation === "findMany" && config.export === true ? [exportList(routes)] : []),
      ...(operation === "createMany" ? bulkCreate(routes, takesUpserts) : []),
      ...steps.before,
      steps.run,
      ...steps.after,
      ...(operation === "findMany" || operation === "findOne" ? cacheHeaders(routes) : []),
      steps.send,
    ],
    origin: {
      place: `the generated route ${operation} of the model ${resource.model.name}`,
      resource: resource.model.resource,
      operation,
      model: resource.model.name,
      ...(hasRowRule(operation, config) ? { hasRowRule: true } : {}),
      ...rightsOf(operation, routes),
      ...(operations[operation].bulk ? { bodyValues: bulkValues(resource) } : {}),
      ...bodyViewOf(operation, routes),
      ...(takesUpserts ? { bodySchema: upsertBody(routes) } : {}),
      ...(operation === "createMany" && config.import === true ? { bodyFormats: bodyFormats(routes) } : {}),
      ...(operation === "findMany" && config.export === true ? { mediaTypes: Object.values(exportTypes) } : {}),
      readFields: (fields, maxValues) => {
        const reading = { writables, parseJson: makeJsonTextReader(maxValues) };
        return readFormRow(writables.get(resource.model.name), reading, fields);
      },
      documentation: () =>
        operationDocumentation(operation, resource, {
          ...{ resources, writables, settings, made: documented, filters },
          isGuarded: source.access !== undefined,
          isLimited: source.rowLimits[resource.model.name] !== undefined,
          takesUpserts,
        }),
    },
  });
}

/** The rights to deleted rows that parameters of an operation require (contract C101). */
function rightsOf(operation: Operation, { resource, config, source }: ModelRoutes): Pick<RouteOrigin, "rights"> {
  const { model, deletedField } = resource;
  if (deletedField === undefined) return {};
  const names = (Object.keys(deletedRights) as DeletedRight[]).filter(
    (right) => deletedRights[right].by.includes(operation as never) && isOffered(model, right, config),
  );
  if (names.length === 0) return {};
  const accessTo = (right: DeletedRight) =>
    source.access === undefined ? false : operationAccess(right, model.resource, config.auth);
  return { rights: names.map((name) => ({ name, authentication: accessTo(name) })) };
}

/**
 * The maximum number of values in a bulk with the maximum number of items, each with every field and relation (contract
 * C59).
 */
function bulkValues({ bulkItems, fields, relations }: Resource): number {
  return bulkItems * (fields.size + relations.size + 2);
}

/**
 * Derived schemas are created with the first body; those of a module immediately, so that startup reports their issues.
 */
export function validationOf(
  operation: Operation | "replaceOne",
  { schemas, config, source }: ModelRoutes,
): Partial<Pick<RouteConfig, "validation">> {
  if (operation === "findMany" || operation === "findOne" || operation === "deleteOne" || operation === "restoreOne")
    return {};
  // Only schemas of modules, and bulks, are asynchronous.
  const mayWait = source.given.size > 0 || (operation !== "replaceOne" && operations[operation].bulk);
  const make = (): z.ZodType =>
    operation === "deleteMany"
      ? schemas()[operation]
      : exactNumbers(schemas()[operation], mayWait ? passOnLater : passOn);
  const body = config.schemas === undefined ? z.lazy(make) : make();
  return { validation: { body: mayWait ? body : checkedSynchronously(body) } };
}

/** The body keys of the route's callers, if they differ. */
export function bodyViewOf(
  operation: Operation,
  { resource, config, source }: ModelRoutes,
): Pick<RouteOrigin, "bodyView"> {
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
