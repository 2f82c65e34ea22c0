import { dbNull, type EnumField, jsonNull, type ScalarField, type StoredField } from "@servicekit/orm";
import { z } from "zod";
import { integerRange } from "../values/integer-range.js";
import { dateMisfit, readDate } from "../values/read-date.js";
import { decimalShape, readDecimal } from "../values/read-decimal.js";
import { expectedOf, readBase64, readTextValue } from "../values/read-text-value.js";

/** The most items that a list field takes. */
const maxListItems = 1000;

/** The Zod schema of one stored field in a body: nothing is rounded, cut or coerced in silence (contract C4, C12). */
export function fieldSchema(field: StoredField): z.ZodType {
  const value = field.kind === "enum" ? z.enum(field.values as [string, ...string[]]) : scalarSchema(field);
  if (field.isList) return z.array(value).max(maxListItems);
  return field.isRequired || field.type === "Json" ? value : value.nullable();
}

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
    case "BigInt":
      return readSchema(field, (input) => {
        if (typeof input === "number") return Number.isSafeInteger(input) ? BigInt(input) : undefined;
        const reading = typeof input === "string" ? readTextValue(field, input) : undefined;
        return reading?.ok === true ? reading.value : undefined;
      });
    case "Float":
      return field.nativeType?.name === "Real" ? z.number().refine(isSingle, "has too many digits") : z.number();
    case "Decimal": {
      const shape = decimalShape(field);
      const expected = `a decimal with at most ${shape.whole} digits before and ${shape.fraction} after the point`;
      return readSchema(field, (input) => readDecimal(decimalText(input), shape), expected);
    }
    case "DateTime":
      return dateSchema(field);
    case "Json":
      // PostgreSQL has two nulls here: the column's own where it may be empty, JSON's where it may not.
      return jsonSchema.transform((value) => (value === null ? (field.isRequired ? jsonNull : dbNull) : value));
    case "Bytes":
      return readSchema(field, (input) => (typeof input === "string" ? readBase64(input) : undefined));
  }
}

/** A schema for values that JSON has no type for: read, or refused with what was expected. */
function readSchema(field: ScalarField, read: (input: unknown) => unknown, expected = expectedOf(field)): z.ZodType {
  return z.unknown().transform((input, context) => {
    const value = read(input);
    if (value !== undefined) return value;
    context.issues.push({ code: "custom", input, message: `Expected ${expected}.` });
    return z.NEVER;
  });
}

const plainTextRule = "Text may hold neither the character NUL nor half a surrogate pair.";

const isPlainText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

function textSchema(field: ScalarField): z.ZodType {
  const { name, args = [] } = field.nativeType ?? {};
  const text = z.string().refine(isPlainText, plainTextRule);
  if (name === "Uuid") return text.refine((value) => readTextValue(field, value).ok, "Expected a UUID.");
  const length = name === "VarChar" || name === "Char" ? Number(args[0] ?? (name === "Char" ? 1 : Infinity)) : Infinity;
  if (length === Infinity) return text;
  // The database counts characters, not UTF-16 units.
  return text.refine((value) => [...value].length <= length, `Expected at most ${length} characters.`);
}

/** A JSON number is taken when its text can be told from its value. */
function decimalText(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "number" || !Number.isFinite(input)) return "";
  const text = String(input);
  return text.replace(/[-.]/g, "").replace(/^0+/, "").length <= 15 ? text : "";
}

/** Whether a single-precision column gives back the same number. */
function isSingle(value: number): boolean {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return false;
  for (let digits = 1; digits <= 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return Number(text) === value;
  }
  return false;
}

function dateSchema(field: ScalarField): z.ZodType {
  return z.unknown().transform((input, context) => {
    const date = typeof input === "string" ? readDate(input) : undefined;
    const misfit = date === undefined ? `Expected ${expectedOf(field)}.` : dateMisfit(field, date);
    if (date !== undefined && misfit === undefined) return date;
    context.issues.push({
      code: "custom",
      input,
      message: date === undefined ? String(misfit) : `The value ${misfit}.`,
    });
    return z.NEVER;
  });
}

/** Any JSON value that the database gives back as it came. */
const jsonSchema: z.ZodType = z.unknown().superRefine((input, context) => {
  const complain = (message: string): void => context.addIssue({ code: "custom", message });
  if (input === undefined) complain("Expected a JSON value.");
  const open: unknown[] = [input];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string" && !isPlainText(value)) complain(plainTextRule);
    else if (typeof value === "number" && !isKeptExactly(value)) {
      complain("A number is too large to be kept exactly; send it as text.");
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) open.push(key, item);
    }
  }
});

const isKeptExactly = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
