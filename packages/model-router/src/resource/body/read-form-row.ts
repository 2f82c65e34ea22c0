import { httpErrors, isHttpError } from "@servicekit/core";
import { findForbiddenKey, isObject, toJsonPointer } from "@servicekit/core/internal";
import type { StoredField } from "@servicekit/prisma";
import { exactDigits, withoutEnd } from "@servicekit/prisma/internal";
import type { JsonTextReader } from "@servicekit/router/internal";
import { readTextValue } from "../values/read-text-value.js";
import type { WritableModel, WritableModels } from "./writable-model.js";

/** What reads the texts of one form, or of one file. */
export interface FormReading {
  readonly writables: WritableModels;
  readonly parseJson: JsonTextReader;
  /** Whether null is written in another way than an empty text, which then is a value without bytes in a field of bytes. */
  readonly hasNull?: boolean;
}

/**
 * Converts the text fields of a form to a row, as JSON would contain it: each text is read by its field's own type
 * (contract C10). An invalid text stays unchanged, for the schema of the body to reject; so does an unknown field.
 *
 * @throws {HttpError} 400 for invalid JSON in a JSON field, 413 for more JSON values than the limit
 */
export function readFormRow(
  writable: WritableModel | undefined,
  reading: FormReading,
  row: unknown,
  at: readonly string[] = [],
): unknown {
  if (writable === undefined || !isObject(row)) return row;
  const read = Object.entries(row).map(([name, value]) => {
    const place = [...at, name];
    const relation = writable.relations.get(name);
    if (relation !== undefined) {
      if (value === "" || value === "null") return [name, null];
      const related = reading.writables.get(relation.related.model.name);
      const each = (item: unknown, where: readonly string[]) => readFormRow(related, reading, item, where);
      const items = Array.isArray(value)
        ? value.map((item, index) => each(item, [...place, String(index)]))
        : each(value, place);
      return [name, items];
    }
    const field = writable.fields.get(name) ?? writable.resource.fields.get(name);
    if (field === undefined) return [name, isFlag(name) && value === "true" ? true : value];
    if (!field.isList) return [name, readText(field, value, place, reading)];
    const list = Array.isArray(value) ? value : [value];
    return [name, list.map((item, index) => readText(field, item, [...place, String(index)], reading))];
  });
  return Object.fromEntries(read);
}

const isFlag = (name: string): boolean => name === "$delete" || name === "$disconnect";

function readText(field: StoredField, text: unknown, place: readonly string[], reading: FormReading): unknown {
  // The text of a `String` is literal: empty, or the word null.
  if (typeof text !== "string" || (field.kind === "scalar" && field.type === "String")) return text;
  if (text === "" && reading.hasNull === true && field.type === "Bytes") return text;
  if (text === "" && !field.isRequired && !field.isList) return null;
  if (field.type === "Json") return readJson(text, place, reading.parseJson);
  if (text === "null" && !field.isRequired && !field.isList) return null;
  switch (field.kind === "enum" ? "enum" : field.type) {
    case "Int": {
      const result = readTextValue(field, text);
      return result.ok ? result.value : text;
    }
    case "Float":
      return isNumberExact(text) ? Number(text) : text;
    case "Boolean":
      return text === "true" ? true : text === "false" ? false : text;
    default:
      return text;
  }
}

/** Doubles closer to zero have fewer digits, down to none. */
const smallestNormal = 2 ** -1022;

/** Whether a text is a number that keeps all its digits: nothing is silently rounded (contract C12). */
function isNumberExact(text: string): boolean {
  const [, integer, fraction = ""] = /^-?(\d{1,400})(?:\.(\d{1,400}))?(?:e[+-]?\d{1,3})?$/i.exec(text) ?? [];
  const value = Number(text);
  if (integer === undefined || !Number.isFinite(value)) return false;
  const digits = withoutEnd(`${integer}${fraction}`.replace(/^0+/, ""), "0");
  if (digits === "" || String(value) === text) return true;
  return digits.length <= exactDigits && Math.abs(value) >= smallestNormal;
}

function readJson(text: string, place: readonly string[], parseJson: JsonTextReader): unknown {
  const reject = (code: string, message: string): never => {
    throw httpErrors.ValidationError(undefined, {
      errors: [{ in: "body", path: toJsonPointer(place), code, message }],
    });
  };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (isHttpError(error)) throw error;
    return reject("MalformedJson", "Expected JSON: a string in double quotes, a number, an object or a list.");
  }
  const found = findForbiddenKey(value);
  if (found?.issue === "forbidden") reject("ForbiddenKey", "The key __proto__ is not allowed.");
  if (found?.issue === "too-deep") reject("TooDeep", "The value is nested too deeply.");
  return value;
}
