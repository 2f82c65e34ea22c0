import type { StoredField } from "@servicekit/prisma";
import { jsonSchema } from "../values/json-schema.js";
import { readTextValue } from "../values/read-text-value.js";

const anyJson = jsonSchema(false);

/**
 * Reads a JSON value as one value of a field: numbers and booleans unchanged, types that JSON lacks as strings
 * (contract C4).
 *
 * @returns `undefined` for any other, including an object
 */
export function readJsonOperand(field: StoredField, input: unknown): unknown {
  if (field.type === "Json") return anyJson.safeParse(input).success ? input : undefined;
  const isNumber = field.type === "Int" || field.type === "Float";
  const isEither = field.type === "BigInt" || field.type === "Decimal";
  if (field.type === "Boolean") return typeof input === "boolean" ? input : undefined;
  if (typeof input === "number" ? !isNumber && !isEither : typeof input !== "string" || isNumber) return undefined;
  const reading = readTextValue(field, String(input));
  return reading.ok ? reading.value : undefined;
}
