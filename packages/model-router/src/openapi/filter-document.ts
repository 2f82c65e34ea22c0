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
 * The conditions of a parameter such as `price`. A list of values is one text, because no client serializes a list
 * inside an object parameter, and OpenAPI does not define it.
 *
 * @param known the schemas so far, by name
 * @param prefix of the name, for fields with other operators than columns of their kind
 */
export function filterDocument(
  field: StoredField,
  names: readonly string[],
  known: Map<string, DocumentObject>,
  prefix = "",
): FilterDocument {
  const kind = kindOf(field);
  const name = `${prefix}${names.includes("isNull") ? "Nullable" : ""}${kind}${field.isList ? "List" : ""}Filter`;
  const schema = known.get(name) ?? {
    type: "object",
    description: `Conditions on ${words[fieldRule(field).kind]}${field.isList ? " list" : ""}, combined with AND.`,
    properties: Object.fromEntries(names.map((operator) => [operator, operandDocument(operator, field)])),
    additionalProperties: false,
    // Documentation pages prefill an object with its example: this one sends nothing.
    examples: [{}],
  };
  known.set(name, schema);
  return { name, schema };
}

/** A word that distinguishes the column from others. */
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
      // PostgreSQL supports fewer operators for a list of `json` than of `jsonb`.
      return name === "Json" ? "PlainJson" : field.type;
  }
}

/** One condition: its meaning, and its operand. */
export function operandDocument(name: string, field: StoredField): DocumentObject {
  if (!isOperator(name)) return {};
  const { operands, text, base, words: description } = operators[name];
  if (operands === "boolean") return { type: "boolean", description: `${description}.` };
  if (operands === "list" || (field.isList && name === "equals"))
    return { type: "string", description: `${description}, separated by commas.` };
  // A complete text is compared like a value of the field.
  if (text && base !== "equals") return { type: "string", description: `${description}.` };
  return { ...textDocument(field), description: `${description}.` };
}

/** A value of a field in a query. */
function textDocument(field: StoredField): DocumentObject {
  const rule = fieldRule(field);
  switch (rule.kind) {
    case "text":
      return { type: "string" };
    case "inet":
    case "bytes":
      return valueDocument(field, "body");
    case "integer":
      return rule.isBig ? valueDocument(field, "response") : integerDocument(rule, false);
    case "decimal":
      return { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" };
    case "date":
      if (rule.part === "time") return { type: "string", examples: ["1970-01-01T08:30:00Z"] };
      return { type: "string", format: rule.part === "day" ? "date" : "date-time" };
    case "json":
      return { type: "string", pattern: '^(-?\\d.*|true|false|".*")$', examples: ['"text"'] };
    default:
      return valueDocument(field, "response");
  }
}

const words: Readonly<Record<ReturnType<typeof fieldRule>["kind"], string>> = {
  text: "a text",
  uuid: "a UUID",
  inet: "an IP address or a network",
  xml: "XML",
  bits: "bits",
  enum: "one of several values",
  boolean: "true or false",
  integer: "an integer",
  float: "a number",
  decimal: "a decimal number",
  date: "a date",
  bytes: "bytes in base64",
  json: "JSON that is a number, true, false, or a string in double quotes",
};
