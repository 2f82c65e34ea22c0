import { type FieldRule, fieldRule } from "../models/field-rule.js";
import type { StoredField } from "../models/model.js";
import type { ValueCheck } from "./value-checks.js";

/** The rule of a field in generated code. */
export interface WrittenRule {
  /** The TypeScript type of a value in a body. */
  readonly type: string;
  /** The check for a value, and its other arguments as code; `undefined` if the library has it. */
  readonly check: { readonly name: ValueCheck; readonly arguments: readonly string[] } | undefined;
  /** The message for an invalid value. */
  readonly expected: string;
  readonly rule: FieldRule;
}

/** How generated code expresses what a column stores. */
export function writtenRule(field: StoredField): WrittenRule {
  const rule = fieldRule(field);
  const check = (name: ValueCheck, ...given: readonly (string | number)[]): WrittenRule["check"] => ({
    name,
    arguments: given.map((argument) => (typeof argument === "number" ? String(argument) : JSON.stringify(argument))),
  });
  switch (rule.kind) {
    case "text": {
      const { maxCharacters: max, keepsTrailingBlanks } = rule;
      const expected = max === undefined ? "text" : `text of at most ${max} characters`;
      if (!keepsTrailingBlanks && max !== undefined) {
        return {
          rule,
          type: "string",
          check: check("isFixedText", max),
          expected: `${expected}, without trailing blanks`,
        };
      }
      return { rule, type: "string", check: max === undefined ? check("isText") : check("isText", max), expected };
    }
    case "uuid":
      return { rule, type: "string", check: check("isUuid"), expected: "a UUID" };
    case "inet":
      return { rule, type: "string", check: check("isInet"), expected: "an IP address or a network" };
    case "xml":
      return { rule, type: "string", check: check("isXml"), expected: "XML without a declaration" };
    case "bits": {
      const max = rule.length ?? 2 ** 31 - 1;
      const expected = rule.isExact ? `${max} bits` : rule.length === undefined ? "bits" : `at most ${max} bits`;
      return { rule, type: "string", check: check("isBits", rule.isExact ? max : 0, max), expected };
    }
    case "enum":
      return {
        rule,
        type: rule.values.map((value) => JSON.stringify(value)).join(" | "),
        check: undefined,
        expected: `one of ${rule.values.join(", ")}`,
      };
    case "boolean":
      return { rule, type: "boolean", check: undefined, expected: "true or false" };
    case "integer":
      return rule.isBig
        ? { rule, type: "string | number", check: check("isBigInteger"), expected: "an integer" }
        : { rule, type: "number", check: undefined, expected: `an integer from ${rule.min} to ${rule.max}` };
    case "float":
      return {
        rule,
        type: "number",
        check: rule.isSingle ? check("isSingle") : undefined,
        expected: rule.isSingle ? "a number of single precision" : "a number",
      };
    case "decimal": {
      const { integer, fraction } = rule;
      const expected = `a decimal with at most ${integer} digits before and ${fraction} after the point`;
      return { rule, type: "string | number", check: check("isDecimal", integer, fraction), expected };
    }
    case "date": {
      const noun = { moment: "a date and time", day: "a day", time: "a time of day on 1970-01-01" }[rule.part];
      return { rule, type: "string", check: check("isDate", rule.part, rule.places), expected: `${noun} in ISO 8601` };
    }
    case "bytes":
      return { rule, type: "string", check: check("isBase64"), expected: "base64 text" };
    case "json":
      return {
        rule,
        type: "unknown",
        check: field.isList ? { name: "isJson", arguments: ["true"] } : check("isJson"),
        expected: "JSON that the column preserves",
      };
  }
}
