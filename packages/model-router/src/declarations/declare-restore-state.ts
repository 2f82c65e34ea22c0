import type { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import { operationAccess } from "../access/operation-access.js";
import { restoreState, restoreSuffix } from "../history/restore-state.js";
import { restoreStateDocumentation } from "../openapi/restore-state-documentation.js";
import type { HistorySource } from "../operations/visible-changes.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** Declares `POST /:id/history/:changeId/restore` of a model (contract C108). */
export function declareRestoreState(router: ServiceRouter, routes: ModelRoutes, history: HistorySource): void {
  const { resource, config, source } = routes;
  const { access, resources, writables, settings, documented, filters } = source;
  const { model, path } = resource;
  declareRoute(router, {
    method: "post",
    config: {
      path: `/${path}${restoreSuffix}`,
      queryParser: false,
      ...(access === undefined ? {} : { authentication: restoreAccess(routes) }),
    },
    handlers: [source.accessStep, restoreState(routes, history)],
    origin: {
      place: `the generated route restoreState of the model ${model.name}`,
      resource: model.resource,
      operation: "restoreState",
      model: model.name,
      ...(hasRowRule("updateOne", config) || hasRowRule("findOne", config) ? { hasRowRule: true } : {}),
      documentation: () =>
        restoreStateDocumentation(resource, {
          ...{ resources, writables, settings, made: documented, filters },
          isGuarded: access !== undefined,
          isLimited: source.rowLimits[model.name] !== undefined,
        }),
    },
  });
}

/** The access to updates, or to reads if everyone may update; the route itself checks the other one. */
function restoreAccess({ resource: { model }, config: { auth } }: ModelRoutes) {
  const update = operationAccess("updateOne", model.resource, auth);
  return update === false ? operationAccess("findOne", model.resource, auth) : update;
}
