import { isHttpError } from "@servicekit/core";
import { foundRows } from "@servicekit/prisma/internal";
import type { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { hideInErrors } from "../access/hide-in-errors.js";
import { operationAccess } from "../access/operation-access.js";
import { accessOf, callersResource, guardOf } from "../access/request-access.js";
import { requireRight } from "../access/require-right.js";
import { cacheHeaders } from "../caching/cache-headers.js";
import { aggregateDocumentation } from "../openapi/aggregate-documentation.js";
import { atOperation } from "../operations/at-operation.js";
import { expensiveFrom } from "../operations/expensive-reads.js";
import { numberPage } from "../operations/number-page.js";
import { aggregateArguments } from "../pipeline/aggregate-arguments.js";
import { sendResponse } from "../pipeline/send-response.js";
import { rawSearch } from "../request/raw-path.js";
import { addModelState } from "../request/request-state.js";
import { type AggregateQuery, readAggregateQuery } from "../resource/aggregate/read-aggregate-query.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { QueryIssues } from "../resource/filter/query-issues.js";
import { readDeletedQuery } from "../resource/query/deleted-parameters.js";
import type { QueryContext } from "../resource/query/read-list-query.js";
import type { Resource } from "../resource/resource.js";
import type { ModelRoutes } from "../steps/route-source.js";

/**
 * Declares `GET /<models>/aggregate`. It has the access rules of the list, because it returns what a client could
 * compute from the list.
 */
export function declareAggregate(router: ServiceRouter, routes: ModelRoutes): void {
  const { resource, config, include, source } = routes;
  const { settings, resources, access, filters } = source;
  const { model, path } = resource;
  declareRoute(router, {
    method: "get",
    config: {
      path: `/${path}/aggregate`,
      queryParser: false,
      ...(access === undefined ? {} : { authentication: operationAccess("findMany", model.resource, config.auth) }),
    },
    handlers: [
      source.accessStep,
      run({ resource, include, source }),
      ...cacheHeaders(routes),
      sendResponse(resource, settings.responseBytes),
    ],
    origin: {
      place: `the generated route aggregate of the model ${model.name}`,
      resource: model.resource,
      operation: "aggregate",
      model: model.name,
      ...(hasRowRule("findMany", config) ? { hasRowRule: true } : {}),
      documentation: () => aggregateDocumentation(resource, { resources, settings, filters }),
    },
  });
}

function run({ resource, include, source }: Pick<ModelRoutes, "resource" | "include" | "source">): RequestHandler {
  const { database, settings, inTurn } = source;
  const { query: limits } = settings;
  return async (request, response, next) => {
    const own = callersResource(request, resource);
    const { resources } = accessOf(request).view;
    const context: QueryContext = {
      ...settings,
      resources,
      limits,
      include,
      isGuarded: guardOf(request) !== undefined,
    };
    const { rows, rest } = readDeletedQuery(rawSearch(request), "aggregate", own);
    const query = readAggregateQuery(rest, own, context);
    const { page, limit } = query;
    if (rows !== "exclude") await requireRight(request, own.model, "findDeleted");
    const args = await aggregateArguments(query, own, request, rows);
    // All matching rows are read, whatever the filter costs.
    await inTurn(Math.max(query.cost, expensiveFrom), { request, response }, async () => {
      try {
        const result = await database.reads.of(own.model).execute({ operation: "aggregate", args, shown: limit });
        if (!("json" in result)) throw new TypeError("An aggregate returns JSON.");
        const relations = query.groups.flatMap((group) => group.relations.map(({ name }) => name));
        addModelState(request, { json: result.json, aggregated: { where: args.where, relations } });
        const found = foundRows(result);
        numberPage({ page, limit, count: Math.min(found, limit), hasMore: found > limit }, request, response);
      } catch (error) {
        throw toIssue(error, query, own, request);
      }
    });
    if (!response.headersSent) next();
  };
}

/** The same error at the parameter that caused it. */
function toIssue(error: unknown, { timeZone, measures }: AggregateQuery, own: Resource, request: Request): unknown {
  if (!isHttpError(error) || error.status !== 400 || error.cause === undefined)
    return atOperation(hideInErrors(error, own.model, accessOf(request).view), "findMany", request);
  const issues = new QueryIssues();
  const sum = measures.find((measure) => measure.function === "sum" || measure.function === "avg");
  if (error.code === "ValueOutOfRange" && sum !== undefined)
    issues.add(sum.function, "OutOfRange", `${sum.function} cannot use ${sum.of?.name}: the result is out of range.`);
  else if (error.code === "InvalidValue" && timeZone !== "UTC")
    issues.add("timeZone", "InvalidValue", `The database does not know the time zone ${timeZone}.`);
  else return atOperation(hideInErrors(error, own.model, accessOf(request).view), "findMany", request);
  return issues.toError();
}
