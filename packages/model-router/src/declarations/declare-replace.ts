import type { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { operationAccess } from "../access/operation-access.js";
import { replaceDocumentation } from "../openapi/replace-documentation.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { replaceOne } from "../upsert/replace-one.js";
import { bodyViewOf, validationOf } from "./declare-operation.js";

/** Declares `PUT /:id` of a model (contract C99). */
export function declareReplace(router: ServiceRouter, routes: ModelRoutes): void {
  const { resource, config, source } = routes;
  const { model, path } = resource;
  const { access, resources, writables, settings, documented, filters } = source;
  declareRoute(router, {
    method: "put",
    config: {
      path: `/${path}/:id`,
      queryParser: false,
      ...validationOf("replaceOne", routes),
      ...(access === undefined ? {} : { authentication: replaceAccess(routes) }),
    },
    handlers: [source.accessStep, replaceOne(routes)],
    origin: {
      place: `the generated route replaceOne of the model ${model.name}`,
      resource: model.resource,
      operation: "replaceOne",
      model: model.name,
      ...(hasRowRule("updateOne", config) ? { hasRowRule: true } : {}),
      ...bodyViewOf("createOne", routes),
      documentation: () =>
        replaceDocumentation(resource, {
          ...{ resources, writables, settings, made: documented, filters },
          isGuarded: access !== undefined,
          isLimited: source.rowLimits[model.name] !== undefined,
        }),
    },
  });
}

/** The access to updates, or to creates if everyone may update; the route itself checks the other one. */
function replaceAccess({ resource: { model }, config: { auth } }: ModelRoutes) {
  const update = operationAccess("updateOne", model.resource, auth);
  return update === false ? operationAccess("createOne", model.resource, auth) : update;
}
