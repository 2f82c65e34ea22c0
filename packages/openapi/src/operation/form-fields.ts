import type { DocumentObject } from "@servicekit/router";
import type { SchemaCollector } from "../json-schema/schema-collector.js";
import { resolveReference } from "../json-schema/to-json-schema.js";

/** The form fields of a schema. */
export interface FormFields {
  readonly properties: Readonly<Record<string, DocumentObject>>;
  readonly required: readonly string[];
}

/** Maximum number of brackets in a name. */
const deepest = 5;

/**
 * The form fields that represent an object: nested ones are named in brackets, such as `author[name]` (specification,
 * "Rules for field names"). A field is required if all its parents are.
 */
export function toFormFields(schema: DocumentObject, collector: SchemaCollector, depth = 0): FormFields {
  const { properties, required } = mergedObject(schema, collector);
  const fields: Record<string, DocumentObject> = {};
  const needed: string[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const resolved = resolveReference(property, collector);
    if (resolved.type !== "object" || resolved.properties === undefined || depth >= deepest) {
      fields[name] = property;
      if (required.includes(name)) needed.push(name);
      continue;
    }
    const inner = toFormFields(resolved, collector, depth + 1);
    for (const [path, field] of Object.entries(inner.properties)) {
      const fullName = `${name}[${path.replace("[", "][").replace(/\]$/, "")}]`;
      fields[fullName] = field;
      if (required.includes(name) && inner.required.includes(path)) needed.push(fullName);
    }
  }
  return { properties: fields, required: needed };
}

/** The properties of an object, including those of the schemas that it combines. */
function mergedObject(schema: DocumentObject, collector: SchemaCollector): FormFields {
  const {
    properties = {},
    required = [],
    allOf = [],
  } = resolveReference(schema, collector) as Partial<FormFields> & {
    readonly allOf?: readonly DocumentObject[];
  };
  const parts = allOf.map((part) => mergedObject(part, collector));
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}
