import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { DocumentObject } from "@servicekit/router";
import type { Operation } from "../operation/operation.js";
import type { OpenApiDocument } from "./open-api-document.js";

/** Components by kind and name. */
export type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The parts of a document. */
export interface DocumentParts {
  /** The members before the paths: `info`, `servers`, `tags` and so on. */
  readonly head: DocumentObject & { readonly openapi: string };
  readonly operations: readonly Operation[];
  /** A later component replaces an earlier one of the same kind and name. */
  readonly components: readonly Components[];
}

type ComponentKind = Parameters<OpenAPIRegistry["registerComponent"]>[0];
type Head = Parameters<OpenApiGeneratorV31["generateDocument"]>[0];

/** Assembles a document with the registry and the generator of zod-to-openapi (docs/decisions/0005-zod-json-schema.md). */
export function assembleDocument({ head, operations, components }: DocumentParts): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  for (const [kind, named] of components.flatMap(Object.entries<Components[string]>)) {
    for (const [name, component] of Object.entries(named)) {
      registry.registerComponent(kind as ComponentKind, name, component as object);
    }
  }
  for (const operation of operations) registry.registerPath(operation as unknown as RouteConfig);
  const generated = new OpenApiGeneratorV31(registry.definitions).generateDocument(head as unknown as Head);
  return {
    // `generated` repeats the head, but with an empty `webhooks` in place of the configuration's.
    ...head,
    paths: generated.paths as OpenApiDocument["paths"],
    components: withoutEmpty(generated.components ?? {}),
  };
}

/** The generator adds empty `schemas` and `parameters`. */
const withoutEmpty = (components: object): object =>
  Object.fromEntries(Object.entries(components).filter(([, named]) => Object.keys(named).length > 0));
