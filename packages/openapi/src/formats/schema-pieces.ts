import type { OpenApiDocument } from "../document/open-api-document.js";
import { rewriteReferences } from "../json-schema/rewrite-references.js";

/**
 * The schemas of a document as one JSON Schema of draft 2020-12 (contract C75), in pieces: each is in `$defs` under its
 * name, for programs that validate or write bodies and rows without the routes.
 */
export function* schemaPieces({ components }: OpenApiDocument): Generator<string> {
  const { schemas = {} } = Object(components) as { readonly schemas?: Readonly<Record<string, object>> };
  yield '{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{';
  let separator = "";
  for (const [name, schema] of Object.entries(schemas)) {
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(rewriteReferences(schema, toDefinition))}`;
    separator = ",";
  }
  yield "}}";
}

const toDefinition = (reference: string): string => reference.replace(/^#\/components\/schemas\//, "#/$defs/");
