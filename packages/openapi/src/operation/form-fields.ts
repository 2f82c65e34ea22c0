import type { DocumentObject } from "@servicekit/router";
import type { SchemaCollector } from "../json-schema/schema-collector.js";
import { resolveReference } from "../json-schema/to-json-schema.js";

/** The fields of a form as a schema has them. */
export interface FormFields {
  readonly properties: Readonly<Record<string, DocumentObject>>;
  readonly required: readonly string[];
}

/** How many brackets a name has at most. */
const deepest = 5;

/**
 * The fields that make an object in a form: what is nested is named in brackets, such as `author[name]` (specification,
 * "Rules for field names"). A field is required where all objects around it are.
 */
export function toFormFields(schema: DocumentObject, collector: SchemaCollector, depth = 0): FormFields {
  const { properties, required } = wholeObject(schema, collector);
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
      const whole = `${name}[${path.replace("[", "][").replace(/\]$/, "")}]`;
      fields[whole] = field;
      if (required.includes(name) && inner.required.includes(path)) needed.push(whole);
    }
  }
  return { properties: fields, required: needed };
}

/** The properties of an object, with those of the schemas that it is put together from. */
function wholeObject(schema: DocumentObject, collector: SchemaCollector): FormFields {
  const {
    properties = {},
    required = [],
    allOf = [],
  } = resolveReference(schema, collector) as Partial<FormFields> & {
    readonly allOf?: readonly DocumentObject[];
  };
  const parts = allOf.map((part) => wholeObject(part, collector));
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}
