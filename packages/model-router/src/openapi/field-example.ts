import { type ComputedField, type StoredField } from "@servicekit/prisma";
import { fieldRule } from "@servicekit/prisma/internal";

const uuid = "0b0f9d0e-5c1c-4a36-9b2e-6a1a8a9d2f41";
const dates = { moment: "2026-01-31T08:30:00.000Z", day: "2026-01-31T00:00:00.000Z", time: "1970-01-01T08:30:00.000Z" };

/**
 * A possible value of a field, derived from its schema only, so that a document is reproducible.
 *
 * @param model the name of the field's model, which is part of texts
 */
export function fieldExample(field: StoredField, model: string): unknown {
  const constant = field.default !== undefined && "value" in field.default ? field.default.value : undefined;
  if (constant !== undefined && constant !== null) return constant;
  return field.isList ? [valueExample(field, model)] : valueExample(field, model);
}

/** Possible values of fields, by their names. */
export const exampleOf = (fields: Iterable<StoredField>, model: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...fields].map((field) => [field.name, fieldExample(field, model)]));

/**
 * A possible value of a computed field: the first example of its schema, or of its type if nothing restricts it.
 *
 * @returns `undefined` if none is known
 */
export function computedExample({ schema }: ComputedField): unknown {
  const { examples, const: constant, enum: values, ...rest } = schema;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  if (Object.keys(rest).length !== 1) return undefined;
  return { string: "text", boolean: true, integer: 1, number: 1.5 }[String(rest.type)];
}

/** One value of a field, or an item of a list. */
export function valueExample(field: StoredField, model: string): unknown {
  const rule = fieldRule(field);
  switch (rule.kind) {
    case "text":
      return textExample(field.name, model, rule.maxCharacters);
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
      return rule.isBig ? String(integerExample(field)) : integerExample(field);
    case "float":
      return 1.5;
    case "decimal":
      return `${"19".slice(0, rule.integer) || "0"}${rule.fraction === 0 ? "" : ".95".slice(0, rule.fraction + 1)}`;
    case "date":
      return dates[rule.part];
    case "bytes":
      return "aGVsbG8=";
    case "json":
      return { key: "value" };
  }
}

const integers: readonly (readonly [name: RegExp, value: number])[] = [
  [/(quantity|count|amount|stock|pieces|seats)$/i, 3],
  [/year$/i, 2026],
  [/month$/i, 7],
  [/(age|minutes|days)$/i, 30],
  [/(rating|stars|score)$/i, 4],
  [/cents$/i, 1995],
];

function integerExample(field: StoredField): number {
  if (field.isId || field.isForeignKey) return 1;
  return integers.find(([name]) => name.test(field.name))?.[1] ?? 1;
}

const texts: readonly (readonly [name: RegExp, value: string])[] = [
  [/e-?mail(address)?$/i, "ada@example.com"],
  [/(url|website|link|homepage)$/i, "https://example.com/"],
  [/first_?name$|given_?name$/i, "Ada"],
  [/(last|family|sur)_?name$/i, "Lovelace"],
  [/(full|display|customer|author|contact)_?name$/i, "Ada Lovelace"],
  [/user_?name$|login$|handle$/i, "ada"],
  [/(phone|mobile|fax)(number)?$/i, "+41 44 555 01 23"],
  [/street(name)?$|address(line)?\d?$/i, "12 Harbour Street"],
  [/(zip|postal|post)_?code$|^zip$/i, "8001"],
  [/city$|town$/i, "Zurich"],
  [/country(name)?$/i, "Switzerland"],
  [/country$/i, "CH"],
  [/country_?code$/i, "CH"],
  [/currency(code)?$/i, "CHF"],
  [/(locale|language)(code)?$/i, "en"],
  [/time_?zone$/i, "Europe/Zurich"],
  [/mime_?type$|content_?type$/i, "image/png"],
  [/colou?r$/i, "green"],
  [/slug$/i, "example-{model}"],
  [/(sku|isbn|code|reference|number|serial)$/i, "A-1042"],
  [/(description|summary|body|content|comment|note|notes|text|message|bio)$/i, "{field} of the {model}"],
  [/(file|path)(name)?$/i, "example.pdf"],
  [/(name|title|headline|subject)$/i, "Example {model}"],
];

/** A realistic text, by the names of the field and its model; shorter if the column is. */
function textExample(name: string, model: string, max = Infinity): string {
  const [field, modelWords] = [wordsOf(name), wordsOf(model).toLowerCase()];
  const fill = (text: string): string => {
    const ofModel = text.startsWith("example-") ? modelWords.replaceAll(" ", "-") : modelWords;
    return text.replace("{field}", field).replace("{model}", ofModel);
  };
  const known = texts
    .filter(([pattern]) => pattern.test(name))
    .map(([, text]) => fill(text))
    .find((text) => text.length <= max);
  return known ?? (field.slice(0, max).trimEnd() || "a".slice(0, max));
}

function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
