import type { DeclaredRoute, DocumentObject, RouteDocumentation } from "@servicekit/router";
import { rewriteReferences } from "../json-schema/rewrite-references.js";
import { referenceTo, type SchemaCollector } from "../json-schema/schema-collector.js";
import type { ApiDocsMode } from "../settings.js";
import { credentialsOf, type DocumentContext, errorsOf } from "./errors.js";
import { toParameters } from "./parameters.js";
import type { PathTemplate } from "./path-template.js";
import type { Problems } from "./problems.js";
import { toRequestBody } from "./request-body.js";
import { toResponses } from "./responses.js";

/** What every operation of a document is made with. */
export interface OperationContext {
  readonly collector: SchemaCollector;
  readonly surrounding: DocumentContext;
  readonly mode: ApiDocsMode;
  readonly problems: Problems;
}

/** An OpenAPI operation with its method and path. */
export type Operation = DocumentObject & { readonly method: string; readonly path: string };

/** One declared route as an OpenAPI operation. */
export function toOperation(
  route: DeclaredRoute,
  template: PathTemplate,
  operationId: string,
  { collector, surrounding, problems, mode }: OperationContext,
): Operation {
  const own = withComponents(route.origin.documentation?.() ?? {}, collector);
  const ofSteps = surrounding.parametersOf?.(route) ?? [];
  const known = ofSteps.length === 0 ? own : { ...own, parameters: [...(own.parameters ?? []), ...ofSteps] };
  const { experimental, authentication } = route.config;
  const declared = experimental?.openapi === false ? {} : (experimental?.openapi ?? {});
  const parameters = toParameters(route, template.params, known, operationId, collector);
  const requestBody = toRequestBody(route, known, operationId, collector, mode);
  const { operation = operationId } = route.origin.model === undefined ? {} : route.origin;
  const errors = problems.of(errorsOf(route, known, surrounding), operation, operationId);
  const isSecured = surrounding.isAuthenticated && authentication !== undefined && authentication !== false;
  const shown = isSecured ? credentialsOf(surrounding, route) : [];
  const security = [
    ...shown.map((name) => ({ [name]: [] })),
    ...(isSecured && authentication === "optional" ? [{}] : []),
  ];
  const description = declared.description ?? known.description;
  const responses = toResponses(route, known, operationId, collector);
  return {
    method: route.method.toLowerCase(),
    path: template.path,
    operationId,
    summary: declared.summary ?? known.summary ?? `${route.method} ${template.path}`,
    ...(description === undefined ? {} : { description }),
    tags: declared.tags ?? known.tags ?? [defaultTag(route, template)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    // Declared responses replace the errors of the same status, and precede the others.
    responses: { ...responses, ...errors, ...responses },
    // If the credentials of callers are unknown, the configuration may define them.
    ...(isSecured && shown.length === 0 ? {} : { security }),
  };
}

/** Adds the named schemas of a route. If a name is taken by another schema, the route references the new name. */
function withComponents(known: RouteDocumentation, collector: SchemaCollector): RouteDocumentation {
  const named = Object.entries(known.components ?? {}).map(([wanted, schema]) => ({
    wanted,
    schema,
    ...collector.reserve(wanted, schema),
  }));
  if (named.every(({ wanted, name }) => wanted === name)) return known;
  const names = new Map(
    named.map(({ wanted, name }) => [referenceTo(wanted).$ref as string, referenceTo(name).$ref as string]),
  );
  const rename = (reference: string): string => names.get(reference) ?? reference;
  for (const { name, schema, isNew } of named) {
    if (isNew) collector.complete(name, rewriteReferences(schema, rename));
  }
  const { components: _components, moduleBody, ...rest } = known;
  return {
    ...(moduleBody === undefined ? {} : { moduleBody }),
    ...rewriteReferences(rest, rename),
  };
}

/** The resource that a route declares, or the first segment of its path below `/api`. */
function defaultTag({ config, origin }: DeclaredRoute, { path }: PathTemplate): string {
  const { authentication } = config;
  const resource = typeof authentication === "object" ? authentication.resource : origin.resource;
  const word = resource ?? path.split("/").filter((part) => part !== "" && part !== "api" && !part.startsWith("{"))[0];
  const text = (word ?? "other").replace(/-/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
