import { oldSchema } from "../errors/old-schema.js";
import { hidePassword } from "./hide-password.js";

const longest = 60;

/** Describes a value for a message: its type, and its start where that helps. */
export function describeFound(value: unknown, secret = false): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return String(value);
    case "string":
      if (value === "") return "an empty string";
      return secret ? "*** (text)" : `${JSON.stringify(shorten(hidePassword(value)))} (text)`;
    case "number":
    case "bigint":
      return secret ? "*** (a number)" : `${value}${typeof value === "bigint" ? "n" : ""} (a number)`;
    case "function":
      return /^class\b/.test(Function.prototype.toString.call(value)) ? "a class" : "a function";
    case "symbol":
      return "a symbol";
    default:
      return describeObject(value);
  }
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (value instanceof RegExp) return "a regular expression";
  if (value instanceof Promise) return "a promise";
  const old = oldSchema(value);
  if (old !== undefined) return old;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `an object of the class ${name}` : "an object";
}

const shorten = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
