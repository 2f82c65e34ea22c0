import { z } from "zod";
import { metaOf, type Schema } from "./schema-at.js";

/**
 * Describes each value that a schema accepts: by its `.meta({ expected })`, otherwise by its type and limits;
 * `undefined` if it has no description.
 */
export function expectedWords(schema: Schema): string[] | undefined {
  const { expected } = metaOf(schema);
  if (expected !== undefined) return [expected];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "function") return ["a function"];
  if (def.type === "union") return together(def.options.map(expectedWords));
  if (def.type !== "pipe" && "innerType" in def) return expectedWords(def.innerType);
  const json = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  return inWords(json);
}

/** All descriptions, if each option has one. */
function together(words: readonly (string[] | undefined)[]): string[] | undefined {
  return words.includes(undefined) ? undefined : words.flatMap((one) => one ?? []);
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function inWords(schema: JsonSchema): string[] | undefined {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value));
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined)
    return together(several.map((one) => (typeof one === "object" ? inWords(one) : undefined)));
  switch (schema.type) {
    case "boolean":
      return ["true", "false"];
    case "null":
      return ["null"];
    case "integer":
      return [`an integer${range(schema)}`];
    case "number":
      return [`a number${range(schema)}`];
    case "string":
      return [text(schema)];
    case "array":
      return [`a list${count(schema.minItems, schema.maxItems, "item")}`];
    case "object":
      return ["an object"];
    default:
      return undefined;
  }
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonSchema): string {
  const low = within(minimum) ? minimum : undefined;
  const high = within(maximum) ? maximum : undefined;
  const parts = [
    low !== undefined && high !== undefined ? `from ${low} to ${high}` : undefined,
    low !== undefined && high === undefined ? `of at least ${low}` : undefined,
    low === undefined && high !== undefined ? `of at most ${high}` : undefined,
    typeof exclusiveMinimum === "number" ? `greater than ${exclusiveMinimum}` : undefined,
    typeof exclusiveMaximum === "number" ? `less than ${exclusiveMaximum}` : undefined,
    multipleOf === undefined ? undefined : `a multiple of ${multipleOf}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`;
}

/** The bounds of safe integers are not declared by a user. */
const within = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

const formats: Readonly<Record<string, string>> = {
  email: "an email address",
  uri: "a URL",
  "date-time": "a date and time (RFC 3339)",
  date: "a date (YYYY-MM-DD)",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

function text({ format, pattern, minLength, maxLength }: JsonSchema): string {
  if (format !== undefined) return formats[format] ?? `a string of the format ${format}`;
  if (pattern !== undefined) return `a string that matches /${pattern}/`;
  if (minLength === 1 && maxLength === undefined) return "a non-empty string";
  return `a string${count(minLength, maxLength, "character")}`;
}

function count(min: number | undefined, max: number | undefined, unit: string): string {
  const units = (amount: number): string => `${amount} ${unit}${amount === 1 ? "" : "s"}`;
  if (min !== undefined && max !== undefined) return min === max ? ` of ${units(min)}` : ` of ${min} to ${units(max)}`;
  if (min !== undefined) return ` of at least ${units(min)}`;
  return max === undefined ? "" : ` of at most ${units(max)}`;
}
