import { type EnumField, type ScalarField, type StoredField } from "@servicekit/prisma";
import {
  dbNull,
  fieldRule,
  isLongerThan,
  isPlainText,
  isSinglePrecision,
  jsonNull,
  maxListItems,
  plainTextRule,
  shortestSingle,
  yearsText,
} from "@servicekit/prisma/internal";
import { z } from "zod";
import { integerRange } from "../values/integer-range.js";
import { jsonSchema } from "../values/json-schema.js";
import { dateMisfit, readDate, readStoredDate } from "../values/read-date.js";
import { decimalShape, readDecimal } from "../values/read-decimal.js";
import { expectedOf, readBase64, readTextValue } from "../values/read-text-value.js";

/**
 * The Zod schema of one stored field in a body: nothing is silently rounded, truncated or coerced (contract C4, C12).
 */
export function fieldSchema(field: StoredField): z.ZodType {
  const value = field.kind === "enum" ? z.enum(field.values as [string, ...string[]]) : scalarSchema(field);
  if (field.isList)
    return z
      .array(field.type === "Json" ? value.refine(isNoNull, "A list of JSON cannot contain null.") : value)
      .max(maxListItems);
  return field.isRequired || field.type === "Json" ? value : value.nullable();
}

/** PostgreSQL would read it as a missing element. */
const isNoNull = (value: unknown): boolean => value !== jsonNull;

type Scalar = Exclude<StoredField, EnumField>;

function scalarSchema(field: Scalar): z.ZodType {
  switch (field.type) {
    case "String":
      return textSchema(field);
    case "Boolean":
      return z.boolean();
    case "Int": {
      const { min, max } = integerRange(field);
      return z.int().min(Number(min)).max(Number(max));
    }
    case "BigInt": {
      const expected = `${expectedOf(field)}, beyond ${Number.MAX_SAFE_INTEGER} as a string`;
      const read = (input: unknown): unknown => {
        if (typeof input === "number") return Number.isSafeInteger(input) ? BigInt(input) : undefined;
        const reading = typeof input === "string" ? readTextValue(field, input) : undefined;
        return reading?.ok === true ? reading.value : undefined;
      };
      return readSchema(field, read, expected);
    }
    case "Float":
      return isSinglePrecision(field) ? z.number().refine(isSingle, "has too many digits") : z.number();
    case "Decimal": {
      const shape = decimalShape(field);
      const expected = `a decimal with at most ${shape.integer} digits before and ${shape.fraction} after the point`;
      return readSchema(field, (input) => readDecimal(decimalText(input), shape), expected);
    }
    case "DateTime":
      return dateSchema(field);
    case "Json":
      // PostgreSQL has two nulls here: the column's own if it is nullable, JSON's otherwise.
      return jsonSchema(field.isList).transform((value) =>
        value === null ? (field.isRequired ? jsonNull : dbNull) : value,
      );
    case "Bytes":
      return readSchema(field, (input) => (typeof input === "string" ? readBase64(input) : undefined));
  }
}

/** A schema for values without a JSON type: parsed, or rejected with what was expected. */
function readSchema(field: ScalarField, read: (input: unknown) => unknown, expected = expectedOf(field)): z.ZodType {
  return z.unknown().transform((input, context) => {
    const value = read(input);
    if (value !== undefined) return value;
    reject(input, `Expected ${expected}.`, context);
    return z.NEVER;
  });
}

/** A missing value is reported as such, whatever was expected. */
function reject(input: unknown, message: string, context: z.RefinementCtx): void {
  if (input === undefined) context.issues.push({ code: "invalid_type", expected: "nonoptional", input, message });
  else context.issues.push({ code: "custom", input, message });
}

function textSchema(field: ScalarField): z.ZodType {
  const rule = fieldRule(field);
  const text = z.string().refine(isPlainText, plainTextRule);
  if (rule.kind === "xml")
    return text.refine((value) => !/^\s*<\?xml/i.test(value), "Expected XML without a declaration.");
  if (rule.kind !== "text") {
    const readable = text.refine((value) => readTextValue(field, value).ok, `Expected ${expectedOf(field)}.`);
    // As in the database, so that equal keys are equal texts.
    return rule.kind === "uuid" ? readable.toLowerCase() : readable;
  }
  const { maxCharacters: limit, keepsTrailingBlanks } = rule;
  if (limit === undefined) return text;
  // The database counts characters, of which there are at most as many as UTF-16 units.
  const fitting = text.refine((value) => !isLongerThan(value, limit), `Expected at most ${limit} characters.`);
  return keepsTrailingBlanks
    ? fitting
    : fitting.refine((value) => !value.endsWith(" "), "The column does not preserve trailing blanks.");
}

/** A JSON number is accepted if its text can be determined from its value. */
function decimalText(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "number" || !Number.isFinite(input)) return "";
  const text = String(input);
  return text.replace(/[-.]/g, "").replace(/^0+/, "").length <= 15 ? text : "";
}

/** Whether a single-precision column returns the same number. */
function isSingle(value: number): boolean {
  return Number.isFinite(Math.fround(value)) && shortestSingle(value) === value;
}

/** What is expected in place of a text that is no date, or one of another year than 1 to 9999. */
function expectedDateOf(field: ScalarField, input: unknown): string {
  const isDate = typeof input === "string" && readStoredDate(input) !== undefined;
  if (!isDate || field.years === undefined) return expectedOf(field);
  const years = { ...field.years, min: Math.max(field.years.min, 1), max: Math.min(field.years.max, 9999) };
  return `${expectedOf(field)}${yearsText({ ...field, years })}`;
}

function dateSchema(field: ScalarField): z.ZodType {
  return z.unknown().transform((input, context) => {
    const date = typeof input === "string" ? readDate(input) : undefined;
    const misfit = date === undefined ? `Expected ${expectedDateOf(field, input)}.` : dateMisfit(field, date);
    if (date !== undefined && misfit === undefined) return date;
    reject(input, date === undefined ? String(misfit) : `The value ${misfit}.`, context);
    return z.NEVER;
  });
}
