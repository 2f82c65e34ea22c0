import { isPlainObject } from "@servicekit/core/internal";
import { quote, reject } from "../query-errors.js";
import { checkUnicode } from "./check-unicode.js";

/** Receives one pair of a name and a value. */
export type AddPair = (name: string, value: string) => void;

const maxDepth = 32;

/**
 * Converts the output of another parser (such as `{ age: { gte: "5" }, tag: ["a", "b"] }`) back into names and values.
 * It accepts only strings, lists and plain objects, so that no value can become an operand that is an object.
 *
 * @throws {HttpError} 400 `MalformedQuery`
 */
export function flattenObject(input: Readonly<Record<string, unknown>>, add: AddPair): void {
  if (!isPlainObject(input))
    throw reject("MalformedQuery", undefined, "The query is neither a string nor a plain object.");
  for (const name of Object.keys(input)) flattenValue(name, input[name], 1, add);
}

function flattenValue(name: string, value: unknown, depth: number, add: AddPair): void {
  if (typeof value === "string") {
    checkUnicode(name);
    checkUnicode(value, name);
    add(name, value);
    return;
  }
  if (depth > maxDepth) throw reject("MalformedQuery", name, `The parameter ${quote(name)} is nested too deeply.`);
  if (Array.isArray(value) && value.length > 0) {
    const isList = value.every((item) => typeof item === "string");
    for (const [index, item] of value.entries()) {
      flattenValue(isList ? name : `${name}[${index}]`, item, depth + 1, add);
    }
    return;
  }
  const keys = isPlainObject(value) ? Object.keys(value) : [];
  if (keys.length === 0) {
    const message = `The parameter ${quote(name)} has a value that is not a string, a list or an object of these.`;
    throw reject("MalformedQuery", name, message);
  }
  for (const key of keys) flattenValue(`${name}[${key}]`, (value as Record<string, unknown>)[key], depth + 1, add);
}
