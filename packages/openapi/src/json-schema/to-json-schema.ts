import { type DocumentedSchema, type DocumentObject } from "@servicekit/router";
import { isDtoClass, isZodSchema } from "@servicekit/router/internal";
import { fromClass } from "./from-class.js";
import { fromZod } from "./from-zod.js";
import type { Direction, SchemaCollector } from "./schema-collector.js";

/**
 * A schema of a declaration as JSON Schema: a Zod schema, a DTO class, or JSON Schema that may contain these.
 *
 * @param name its name in the document if it needs one
 */
export function toJsonSchema(
  schema: DocumentedSchema,
  direction: Direction,
  name: string,
  collector: SchemaCollector,
): DocumentObject {
  if (isZodSchema(schema)) return fromZod(schema, direction, name, collector);
  if (isDtoClass(schema)) {
    try {
      return fromClass(schema, collector);
    } catch (error) {
      collector.warn(`${schema.name}: ${error instanceof Error ? error.message : String(error)}`);
      return { description: "This value cannot be documented." };
    }
  }
  return withSchemas(schema, direction, name, collector) as DocumentObject;
}

/** Part of a document that may contain Zod schemas and classes at any depth. */
export function withSchemas(value: unknown, direction: Direction, name: string, collector: SchemaCollector): unknown {
  if (Array.isArray(value)) return value.map((item) => withSchemas(item, direction, name, collector));
  if (isZodSchema(value) || isDtoClass(value)) return toJsonSchema(value, direction, name, collector);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const inside = `${name}${key.charAt(0).toUpperCase()}${key.slice(1)}`;
      return [key, withSchemas(inner, direction, inside, collector)];
    }),
  );
}

/** The schema itself, if it was made a component. */
export function resolveReference(schema: DocumentObject, collector: SchemaCollector): DocumentObject {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  return collector.find($ref.slice("#/components/schemas/".length)) ?? schema;
}
