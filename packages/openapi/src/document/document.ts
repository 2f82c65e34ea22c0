import { setImmediate } from "node:timers/promises";
import { type DocumentObject, type RouteTable } from "@servicekit/router";
import { declaredValue } from "@servicekit/router/internal";
import { SchemaCollector } from "../json-schema/schema-collector.js";
import { credentialsOf, type DocumentContext, problemSchema } from "../operation/errors.js";
import { type Operation, toOperation } from "../operation/operation.js";
import { makeOperationIds } from "../operation/operation-id.js";
import { pathTemplates } from "../operation/path-template.js";
import { Problems } from "../operation/problems.js";
import { securitySchemes } from "../operation/security-schemes.js";
import type { ApiDocsSettings } from "../settings.js";
import { assembleDocument } from "./assemble-document.js";
import { liftSecurity } from "./lift-security.js";
import type { OpenApiDocument } from "./open-api-document.js";
import { readPackageInfo } from "./package-info.js";
import { reachedSchemas } from "./reached-schemas.js";
import { shareRepeated } from "./share-repeated.js";
import { describeTags, type Tag } from "./tags.js";
import { makeTurn } from "./yield-between.js";

/** The input of a document. */
export interface DocumentOptions {
  readonly table: RouteTable;
  readonly settings: Pick<ApiDocsSettings, "options" | "mode">;
  /** The URL of the service if the configuration has no servers. */
  readonly serverUrl: string;
  readonly surrounding: DocumentContext;
  /**
   * The folder of the `package.json` with the title, version, description, licence and contact that `settings` do not
   * set.
   */
  readonly packageRoot?: string;
  /** The descriptions of tags that `settings` do not set. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The requests that the service sends, by name, as path items. Those of the configuration replace them. */
  readonly webhooks?: Readonly<Record<string, DocumentObject>>;
  /** Receives warnings about what could not be documented. */
  readonly warn?: (message: string) => void;
}

/**
 * Builds the OpenAPI 3.1 document of an application from its route table (contract C47): every declared route except
 * those with `experimental.openapi: false`, sorted by path. A schema that cannot be represented is reported to `warn`
 * and never fails the build. With 81 models it is built in slices of at most 20 ms, between which other requests are
 * handled (contract C65).
 */
export async function makeDocument(options: DocumentOptions): Promise<OpenApiDocument> {
  const { table, settings, serverUrl, surrounding, packageRoot, warn = () => undefined } = options;
  const packageInfo = packageRoot === undefined ? {} : readPackageInfo(packageRoot);
  const {
    info,
    servers,
    tags: ownTags = [],
    components: ownComponents = {},
    ...definition
  } = settings.options.definition ?? {};
  const turn = makeTurn();
  const collector = new SchemaCollector(warn);
  collector.add("Problem", problemSchema);
  const problems = new Problems();
  const nameOperation = makeOperationIds();
  const seen = new Set<string>();
  const tags = { models: new Set<string>(), all: new Set<string>() };
  const found: Operation[] = [];
  for (const { method, path, route } of table.entries) {
    if (route === undefined || declaredValue(route.config, "experimental.openapi") === false) continue;
    for (const template of pathTemplates(path)) {
      const name = `${method} ${template.path}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const id = nameOperation(route, template.path);
      const operation = toOperation(route, template, id, { collector, surrounding, problems, mode: settings.mode });
      for (const tag of operation.tags as readonly string[]) {
        tags.all.add(tag);
        if (tag === route.origin.model) tags.models.add(tag);
      }
      found.push(operation);
      await turn();
    }
  }
  // The operations do not inherit a security requirement of the configuration.
  const lifted = definition.security === undefined ? liftSecurity(found) : { operations: found };
  const errors = problems.name(collector.schemas);
  const sorted = [...lifted.operations].sort(byPath);
  const known = { ...collector.schemas, ...errors.schemas };
  const taken = { parameters: known, responses: errors.responses };
  const { operations, components: shared } = await shareRepeated(sorted, taken, turn);
  const schemas = await reachedSchemas(known, [...operations, shared, errors.responses], turn);
  const components = {
    schemas: sortedByName(schemas),
    ...shared,
    responses: sortedByName({ ...shared.responses, ...errors.responses }),
    securitySchemes: surrounding.isAuthenticated ? securitySchemes(credentialsOf(surrounding)) : {},
  };
  const head = {
    openapi: "3.1.0",
    info: { title: "API", version: "1.0.0", ...packageInfo, ...info },
    ...(lifted.security === undefined ? {} : { security: lifted.security }),
    ...definition,
    ...(options.webhooks === undefined
      ? {}
      : { webhooks: { ...options.webhooks, ...(definition.webhooks as object | undefined) } }),
    servers: servers === undefined ? [{ url: serverUrl }] : [...servers],
    ...describeTags({ ...tags, own: ownTags as readonly Tag[], known: options.tags ?? {}, schemas: known }),
  };
  // The generator runs in one piece, so it gets a slice of its own.
  await setImmediate();
  const document = assembleDocument({ head, operations, components: [components, ownComponents] });
  await setImmediate();
  return document;
}

const byPath = ({ path: a }: Operation, { path: b }: Operation): number => (a < b ? -1 : a > b ? 1 : 0);

const sortedByName = (named: Readonly<Record<string, DocumentObject>>): Readonly<Record<string, DocumentObject>> =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
