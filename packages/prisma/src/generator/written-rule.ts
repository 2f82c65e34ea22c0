import { type FieldRule, fieldRule } from "../field-rule.js";
import type { StoredField } from "../model.js";
import type { ValueCheck } from "./value-checks.js";

/** The rule of a field as generated code says it. */
export interface WrittenRule {
  /** The TypeScript type of a value in a body. */
  readonly type: string;
  /** The check that a value must pass, and its other arguments as code; `undefined` where a library's own words do. */
  readonly check: { readonly name: ValueCheck; readonly arguments: readonly string[] } | undefined;
  /** What is said of a value that does not fit. */
  readonly expected: string;
  readonly rule: FieldRule;
}

/** How generated code says what a column keeps. */
export function writtenRule(field: StoredField): WrittenRule {
  const rule = fieldRule(field);
  const check = (name: ValueCheck, ...given: readonly (string | number)[]): WrittenRule["check"] => ({
    name,
    arguments: given.map((argument) => (typeof argument === "number" ? String(argument) : JSON.stringify(argument))),
  });
  switch (rule.kind) {
    case "text": {
      const { maxCharacters: most, keepsEndBlanks } = rule;
      const expected = most === undefined ? "text" : `text of at most ${most} characters`;
      if (!keepsEndBlanks && most !== undefined) {
        return {
          rule,
          type: "string",
          check: check("isFixedText", most),
          expected: `${expected}, no blank at its end`,
        };
      }
      return { rule, type: "string", check: most === undefined ? check("isText") : check("isText", most), expected };
    }
    case "uuid":
      return { rule, type: "string", check: check("isUuid"), expected: "a UUID" };
    case "inet":
      return { rule, type: "string", check: check("isInet"), expected: "an IP address or a network" };
    case "xml":
      return { rule, type: "string", check: check("isXml"), expected: "XML without a declaration" };
    case "bits": {
      const most = rule.length ?? 2 ** 31 - 1;
      const expected = rule.isExact ? `${most} bits` : rule.length === undefined ? "bits" : `at most ${most} bits`;
      return { rule, type: "string", check: check("isBits", rule.isExact ? most : 0, most), expected };
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
        ? { rule, type: "string | number", check: check("isBigInteger"), expected: "a whole number" }
        : { rule, type: "number", check: undefined, expected: `a whole number from ${rule.min} to ${rule.max}` };
    case "float":
      return {
        rule,
        type: "number",
        check: rule.isSingle ? check("isSingle") : undefined,
        expected: rule.isSingle ? "a number of single precision" : "a number",
      };
    case "decimal": {
      const { whole, fraction } = rule;
      const expected = `a decimal with at most ${whole} digits before and ${fraction} after the point`;
      return { rule, type: "string | number", check: check("isDecimal", whole, fraction), expected };
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
        expected: "JSON that the column keeps as it is",
      };
  }
}
