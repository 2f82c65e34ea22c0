import { joinOr } from "@servicekit/errors";

/** How a text of the environment or of the command line becomes a value. */
export type ValueType =
  | { readonly type: "text" | "integer" | "port" | "boolean" }
  | { readonly type: "enum"; readonly values: readonly string[] };

/** The value, or what was expected in its place. */
export type ReadValue = { readonly value: string | number | boolean } | { readonly expected: string };

/** Reads one text; what cannot be read says what was expected. */
export function readValue(text: string, how: ValueType): ReadValue {
  const trimmed = text.trim();
  switch (how.type) {
    case "text":
      return { value: text };
    case "integer": {
      const value = /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN;
      return Number.isSafeInteger(value) ? { value: value + 0 } : { expected: "a whole number" };
    }
    case "port": {
      const value = /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
      return value <= 65_535 ? { value } : { expected: "a port from 0 to 65535" };
    }
    case "boolean":
      if (/^(true|1)$/i.test(trimmed)) return { value: true };
      return /^(false|0)$/i.test(trimmed) ? { value: false } : { expected: "true or false" };
    case "enum": {
      const value = how.values.find((known) => known.toLowerCase() === trimmed.toLowerCase());
      return value === undefined ? { expected: joinOr(how.values.map((known) => `"${known}"`)) } : { value };
    }
  }
}
