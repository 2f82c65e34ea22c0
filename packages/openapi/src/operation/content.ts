import type { DocumentedContent, DocumentObject } from "@servicekit/router";
import type { Direction, SchemaCollector } from "../json-schema/schema-collector.js";
import { toJsonSchema } from "../json-schema/to-json-schema.js";

/** The `content` of a body or response with its schemas as JSON Schema. */
export function toContent(
  content: DocumentedContent,
  direction: Direction,
  name: string,
  collector: SchemaCollector,
): Readonly<Record<string, DocumentObject>> {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const { schema, ...rest } = media as { readonly schema?: (typeof media)["schema"] };
      if (schema === undefined) return [type, rest];
      return [type, { ...rest, schema: toJsonSchema(schema, direction, name, collector) }];
    }),
  );
}
