import { type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";
import { isOperator, operators } from "@servicekit/query-parser/internal";
import type { DocumentObject } from "@servicekit/router";
import { integerDocument, valueDocument } from "./field-document.js";

/** The conditions on a stored field: one named schema for all columns of a kind (contract C65). */
export interface FilterDocument {
  readonly name: string;
  readonly schema: DocumentObject;
}

/**
 * The conditions that a parameter such as `price` takes. A list of values is one text, since no program writes a list
 * inside of an object parameter, and OpenAPI does not say how.
 *
 * @param known the schemas made so far, by name
 */
export function filterDocument(
  field: StoredField,
  names: readonly string[],
  known: Map<string, DocumentObject>,
): FilterDocument {
  const kind = kindOf(field);
  const name = `${names.includes("isNull") ? "Nullable" : ""}${kind}${field.isList ? "List" : ""}Filter`;
  const schema = known.get(name) ?? {
    type: "object",
    description: `Conditions on ${words[fieldRule(field).kind]}${field.isList ? ", of which there is a list" : ""}; all of them hold.`,
    properties: Object.fromEntries(names.map((operator) => [operator, operandDocument(operator, field)])),
    additionalProperties: false,
    // Pages fill an object in with its example: this one sends nothing.
    examples: [{}],
  };
  known.set(name, schema);
  return { name, schema };
}

/** What tells a column from others, in a word. */
export function kindOf(field: StoredField): string {
  if (field.kind === "enum") return field.type;
  const { name, args = [] } = field.nativeType ?? {};
  const rule = fieldRule(field);
  switch (rule.kind) {
    case "bits":
      return `${name}${args[0] ?? ""}`;
    case "text":
      return name === "Char" ? "Char" : "Text";
    case "integer":
      return name === "SmallInt" || name === "Oid" ? name : field.type;
    case "date":
      return { moment: "DateTime", day: "Date", time: "Time" }[rule.part];
    case "uuid":
    case "inet":
    case "xml":
      return name ?? field.type;
    default:
      // What PostgreSQL can do with a list of `json` is less than with one of `jsonb`.
      return name === "Json" ? "PlainJson" : field.type;
  }
}

/** One condition: what it means, and what it compares with. */
export function operandDocument(name: string, field: StoredField): DocumentObject {
  if (!isOperator(name)) return {};
  const { operands, text, base, words: description } = operators[name];
  if (operands === "boolean") return { type: "boolean", description: `${description}.` };
  if (operands === "list" || (field.isList && name === "equals"))
    return { type: "string", description: `${description}, joined by commas.` };
  // The whole of a text is compared as a value of the field is.
  if (text && base !== "equals") return { type: "string", description: `${description}.` };
  return { ...textDocument(field), description: `${description}.` };
}

/** A value of a field as it stands in a query. */
function textDocument(field: StoredField): DocumentObject {
  const rule = fieldRule(field);
  switch (rule.kind) {
    case "text":
      return { type: "string" };
    case "inet":
    case "bytes":
      return valueDocument(field, "body");
    case "integer":
      return rule.isBig ? valueDocument(field, "answer") : integerDocument(rule, false);
    case "decimal":
      return { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" };
    case "date":
      if (rule.part === "time") return { type: "string", examples: ["1970-01-01T08:30:00Z"] };
      return { type: "string", format: rule.part === "day" ? "date" : "date-time" };
    case "json":
      return { type: "string", pattern: '^(-?\\d.*|true|false|".*")$', examples: ['"moss"'] };
    default:
      return valueDocument(field, "answer");
  }
}

const words: Readonly<Record<ReturnType<typeof fieldRule>["kind"], string>> = {
  text: "a text",
  uuid: "a UUID",
  inet: "an IP address or a network",
  xml: "XML",
  bits: "bits",
  enum: "one of some values",
  boolean: "true or false",
  integer: "a whole number",
  float: "a number",
  decimal: "a decimal number",
  date: "a date",
  bytes: "bytes in base64",
  json: "JSON that is a number, true, false, or a text in double quotes",
};
