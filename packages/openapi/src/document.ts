import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { type DocumentObject, declaredValue, type RouteTable } from "@servicekit/router";
import { problemSchema, type Surrounding } from "./errors.js";
import { SchemaCollector } from "./json-schema/schema-collector.js";
import { toOperation } from "./operation.js";
import { makeOperationIds } from "./operation-id.js";
import { pathTemplates } from "./path-template.js";
import type { ApiDocsSettings } from "./settings.js";
import { shareParameters } from "./share-parameters.js";

/** An OpenAPI 3.1 document as plain data. */
export type OpenApiDocument = DocumentObject & {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, DocumentObject>>;
};

/** What a document is made from. */
export interface DocumentOptions {
  readonly table: RouteTable;
  readonly settings: Pick<ApiDocsSettings, "options" | "mode">;
  /** Where the service is reached, when the configuration names no servers. */
  readonly serverUrl: string;
  readonly surrounding: Surrounding;
  /** What is said of the API where `settings` do not: its title, version, description and licence. */
  readonly info?: DocumentObject;
  /** What tags stand for, where `settings` do not say it. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Is told what could not be shown. */
  readonly warn?: (message: string) => void;
}

interface Tag {
  readonly name: string;
  readonly description?: string;
}

/** The name of the cookie that carries the access token (contract C23). */
const tokenCookie = "access_token";

/**
 * Makes the OpenAPI 3.1 document of an application from its one route table (contract C47): every declared route but
 * those with `experimental.openapi: false`, sorted by path. A schema that cannot be shown is told to `warn` and never breaks it.
 */
export function makeDocument(options: DocumentOptions): OpenApiDocument {
  const { table, settings, serverUrl, surrounding, warn = () => undefined } = options;
  const {
    info,
    servers,
    tags: ownTags,
    components: ownComponents = {},
    ...definition
  } = settings.options.definition ?? {};
  const registry = new OpenAPIRegistry();
  const collector = new SchemaCollector(warn);
  collector.add("Problem", problemSchema);
  const responses = new Map<string, string>();
  const shareResponse = (status: string, response: DocumentObject): DocumentObject => {
    const text = JSON.stringify(response);
    const known = responses.get(text);
    const name =
      known ??
      `Error${status}_${[...responses.values()].filter((each) => each.startsWith(`Error${status}_`)).length + 1}`;
    if (known === undefined) {
      responses.set(text, name);
      registry.registerComponent("responses", name, response as never);
    }
    return { $ref: `#/components/responses/${name}` };
  };
  const nameOperation = makeOperationIds();
  const seen = new Set<string>();
  const tags = new Set<string>();
  const paths: Record<string, Record<string, DocumentObject>> = {};
  for (const { method, path, route } of table.entries) {
    if (route === undefined || declaredValue(route.config, "experimental.openapi") === false) continue;
    for (const template of pathTemplates(path)) {
      const name = `${method} ${template.path}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const id = nameOperation(route, template.path);
      const operation = toOperation(route, template, id, {
        collector,
        surrounding,
        shareResponse,
        mode: settings.mode,
      });
      for (const tag of operation.tags as readonly string[]) tags.add(tag);
      paths[template.path] = { ...paths[template.path], [method.toLowerCase()]: operation };
    }
  }
  for (const [name, schema] of Object.entries(collector.schemas)) registry.registerComponent("schemas", name, schema);
  if (surrounding.isAuthenticated) registerSecurity(registry);
  const generated = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    ...definition,
    info: { title: "API", version: "1.0.0", ...options.info, ...info },
    servers: servers === undefined ? [{ url: serverUrl }] : [...servers],
    tags: describeTags(tags, (ownTags ?? []) as readonly Tag[], options.tags ?? {}, collector),
  } as never);
  const { components: found, webhooks: _webhooks, ...rest } = generated as unknown as DocumentObject;
  const { parameters: _none, ...components } = (found ?? {}) as DocumentObject;
  const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  const shared = shareParameters(sorted);
  const parameters = Object.keys(shared.parameters).length === 0 ? {} : { parameters: shared.parameters };
  const whole = layComponents({ ...components, ...parameters }, ownComponents);
  return { ...rest, paths: shared.paths, components: whole } as unknown as OpenApiDocument;
}

/** What the configuration says of components, over those that the routes make. */
function layComponents(made: DocumentObject, own: Readonly<Record<string, DocumentObject>>): DocumentObject {
  const laid = Object.entries(own).map(([kind, named]) => [kind, { ...(made[kind] as DocumentObject), ...named }]);
  return { ...made, ...Object.fromEntries(laid) };
}

/** The tags in alphabetical order, after those that the configuration puts first; a model's is described as the model. */
function describeTags(
  names: ReadonlySet<string>,
  own: readonly Tag[],
  known: Readonly<Record<string, string>>,
  { schemas }: SchemaCollector,
): readonly Tag[] {
  const others = [...names].filter((name) => !own.some((tag) => tag.name === name)).sort();
  const described = others.map((name): Tag => {
    const description = known[name] ?? schemas[name]?.description;
    return typeof description === "string" ? { name, description } : { name };
  });
  return [...own, ...described];
}

function registerSecurity(registry: OpenAPIRegistry): void {
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer", bearerFormat: "JWT" });
  registry.registerComponent("securitySchemes", "cookie", { type: "apiKey", in: "cookie", name: tokenCookie });
}
