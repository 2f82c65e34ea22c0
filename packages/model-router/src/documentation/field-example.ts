import { fieldRule, type StoredField } from "@servicekit/orm";

const uuid = "0b0f9d0e-5c1c-4a36-9b2e-6a1a8a9d2f41";
const dates = { moment: "2026-01-31T08:30:00.000Z", day: "2026-01-31T00:00:00.000Z", time: "1970-01-01T08:30:00.000Z" };

/** A value that a field can have, made from its schema alone, so that a document is the same each time. */
export function fieldExample(field: StoredField): unknown {
  const constant = field.default !== undefined && "value" in field.default ? field.default.value : undefined;
  if (constant !== undefined && constant !== null) return constant;
  return field.isList ? [valueExample(field)] : valueExample(field);
}

/** One value of a field: an item where it is a list. */
export function valueExample(field: StoredField): unknown {
  const rule = fieldRule(field);
  switch (rule.kind) {
    case "text":
      return textOf(field.name).slice(0, rule.maxCharacters);
    case "uuid":
      return uuid;
    case "inet":
      return "192.0.2.1";
    case "xml":
      return "<a/>";
    case "bits":
      return "1".repeat(rule.length ?? 4);
    case "enum":
      return rule.values[0];
    case "boolean":
      return true;
    case "integer":
      return rule.isBig ? "1" : 1;
    case "float":
      return 1.5;
    case "decimal":
      return `${rule.whole === 0 ? 0 : 9}${rule.fraction === 0 ? "" : ".95".slice(0, rule.fraction + 1)}`;
    case "date":
      return dates[rule.part];
    case "bytes":
      return "aGVsbG8=";
    case "json":
      return {};
  }
}

/** Words that tell what the text is for: the field's own name. */
function textOf(name: string): string {
  if (/e-?mail$/i.test(name)) return "ada@example.com";
  if (/(url|website|link)$/i.test(name)) return "https://example.com/";
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
