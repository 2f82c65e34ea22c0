import type { DocumentObject, RouteDocumentation, ServiceRouter } from "@servicekit/router";
import { sendJson } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { operationAccess } from "../access/operation-access.js";
import { callersResource, reachableWhere } from "../access/request-access.js";
import { notFound } from "../errors.js";
import { keyParameter } from "../openapi/operation-documentation.js";
import { operationErrors } from "../openapi/operation-errors.js";
import { rawKey, rawSearch } from "../request/raw-path.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import { QueryIssues } from "../resource/filter/query-issues.js";
import { readKey } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** A route of one row that the service adds to a model. */
export interface RowRoute {
  readonly method: "get" | "post";
  /** The path after that of the row, such as `/deliveries`. */
  readonly suffix: string;
  /** The name of the operation, unique in the model. */
  readonly name: string;
  /** The operation whose access rules apply to the route and to the row. */
  readonly accessOf: "findOne" | "updateOne";
  /** Returns the `data` of the response, and its `meta`. The row has all of its fields, also hidden ones. */
  readonly run: (
    row: Row,
    request: Request,
    response: Response,
  ) => Promise<{ readonly data: unknown; readonly meta?: Readonly<Record<string, unknown>> }>;
  /** Without `parameters` each parameter of a request is 400; with them {@link run} checks them. */
  readonly documentation: Pick<RouteDocumentation, "summary" | "description"> & Partial<RouteDocumentation>;
  /** The JSON Schemas of what {@link run} returns. */
  readonly response: { readonly data: DocumentObject; readonly meta?: DocumentObject };
}

/** Declares a route of one row: 404 for a row that the rules of the caller do not reach. */
export function declareRowRoute(router: ServiceRouter, routes: ModelRoutes, route: RowRoute): void {
  const { resource, config, source } = routes;
  const { model, path } = resource;
  const { method, suffix, name, accessOf } = route;
  declareRoute(router, {
    method,
    config: {
      path: `/${path}/:id${suffix}`,
      queryParser: false,
      validation: { body: false },
      ...(source.access === undefined
        ? {}
        : { authentication: operationAccess(accessOf, model.resource, config.auth) }),
    },
    handlers: [source.accessStep, run(routes, route)],
    origin: {
      place: `the generated route ${name} of the model ${model.name}`,
      resource: model.resource,
      operation: name,
      model: model.name,
      ...(hasRowRule(accessOf, config) ? { hasRowRule: true } : {}),
      documentation: () => ({
        tags: [model.name],
        parameters: [keyParameter(resource), ...(route.documentation.parameters ?? [])],
        responses: {
          200: { description: "The result.", content: { "application/json": { schema: responseSchema(route) } } },
        },
        ...route.documentation,
        errors: joinErrors(
          operationErrors("findOne", { hasRowRule: false, takesDeleted: false }),
          route.documentation.errors ?? [],
        ),
      }),
    },
  });
}

type DocumentedErrors = NonNullable<RouteDocumentation["errors"]>;

/** All errors; a route describes an error of every row route in its own words. */
const joinErrors = (errors: DocumentedErrors, described: DocumentedErrors): DocumentedErrors => [
  ...errors.filter((error) => !described.some(({ status, code }) => error.status === status && error.code === code)),
  ...described,
];

const responseSchema = ({ response }: RowRoute): DocumentObject => ({
  type: "object",
  properties: response,
  required: Object.keys(response),
  additionalProperties: false,
});

function run({ resource, source }: ModelRoutes, route: RowRoute): RequestHandler {
  const takesParameters = route.documentation.parameters !== undefined;
  return async (request, response) => {
    if (!takesParameters) rejectParameters(request);
    const own = callersResource(request, resource);
    const key = readKey(own.model, rawKey(request, `/:id${route.suffix}`));
    const rows = await reachableWhere(request, own, route.accessOf);
    const where = rows === undefined ? key : { ...key, AND: [rows] };
    const row = where && (await source.database.of(resource.model).findUnique({ where }));
    if (row === undefined || row === null) throw notFound(own);
    const { data, meta } = await route.run(row, request, response);
    sendJson(response, 200, meta === undefined ? { data } : { data, meta });
  };
}

/** @throws {HttpError} 400 that names each parameter */
function rejectParameters(request: Request): void {
  const issues = new QueryIssues();
  for (const name of new Set(new URLSearchParams(rawSearch(request)).keys()))
    issues.add(name, "UnknownParameter", `Unknown parameter ${name}; expected no parameters.`);
  issues.check();
}
