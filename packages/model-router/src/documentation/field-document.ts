import { fieldRule, mostListItems, type StoredField } from "@servicekit/orm";
import type { DocumentObject } from "@servicekit/router";

/** A stored field as JSON Schema: as it is answered, or as bodies take it (contract C4). */
export function fieldDocument(field: StoredField, direction: "answer" | "body"): DocumentObject {
  const value = valueDocument(field, direction);
  const whole: DocumentObject = field.isList
    ? { type: "array", items: value, ...(direction === "body" ? { maxItems: mostListItems } : {}) }
    : field.isRequired
      ? value
      : nullable(value);
  return field.documentation === undefined ? whole : { ...whole, description: field.documentation };
}

/** One value of a field: an item where it is a list. */
export function valueDocument(field: StoredField, direction: "answer" | "body"): DocumentObject {
  const rule = fieldRule(field);
  const isBody = direction === "body";
  switch (rule.kind) {
    case "text":
      return { type: "string", ...(rule.maxCharacters === undefined ? {} : { maxLength: rule.maxCharacters }) };
    case "uuid":
      return { type: "string", format: "uuid" };
    case "inet":
    case "xml":
      return { type: "string" };
    case "bits":
      return { type: "string", pattern: "^[01]*$", ...(rule.length === undefined ? {} : { maxLength: rule.length }) };
    case "enum":
      return { type: "string", enum: rule.values };
    case "boolean":
      return { type: "boolean" };
    case "integer": {
      if (!rule.isBig) return { type: "integer", minimum: Number(rule.min), maximum: Number(rule.max) };
      return isBody ? { type: ["string", "integer"], pattern: "^-?\\d+$" } : { type: "string", pattern: "^-?\\d+$" };
    }
    case "float":
      return { type: "number" };
    case "decimal": {
      const pattern = "^-?\\d+(\\.\\d+)?$";
      return isBody ? { type: ["string", "number"], pattern } : { type: "string", pattern };
    }
    case "date":
      return { type: "string", ...(isBody && rule.part !== "moment" ? {} : { format: "date-time" }) };
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    case "json":
      return { description: "Any JSON." };
  }
}

/** The same or null. */
function nullable(schema: DocumentObject): DocumentObject {
  const { type, enum: values } = schema;
  if (type === undefined) return schema;
  return {
    ...schema,
    type: [...[type].flat(), "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
