import { joinOr } from "@servicekit/core/internal";

/** How text from the environment or the command line is converted. */
export type ValueType =
  | { readonly type: "text" | "integer" | "number" | "port" | "boolean" }
  | { readonly type: "enum"; readonly values: readonly string[] }
  /** A list of one kind, separated by commas. */
  | { readonly type: "list"; readonly of: ValueType }
  /** The first of several kinds that accepts the text; `expected` describes all of them. */
  | { readonly type: "any"; readonly of: readonly ValueType[]; readonly expected: string };

/** The value, or a description of what was expected. */
export type ReadValue = { readonly value: TextValue } | { readonly expected: string };

/** The values that text can represent. */
export type TextValue = string | number | boolean | readonly TextValue[];

/** Converts one text, or describes what was expected. */
export function readValue(text: string, how: ValueType): ReadValue {
  const trimmed = text.trim();
  switch (how.type) {
    case "text":
      return { value: text };
    case "integer": {
      const value = /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN;
      return Number.isSafeInteger(value) ? { value: value + 0 } : { expected: "an integer" };
    }
    case "number": {
      const value = /^[+-]?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
      return Number.isFinite(value) ? { value: value + 0 } : { expected: "a number" };
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
    case "list": {
      const items = trimmed.split(",").map((item) => readValue(item.trim(), how.of));
      const wrong = items.find((item) => "expected" in item);
      if (wrong !== undefined) return { expected: `a list with commas: each ${wrong.expected}` };
      return { value: items.flatMap((item) => ("value" in item ? [item.value] : [])) };
    }
    case "any":
      for (const kind of how.of) {
        const read = readValue(text, kind);
        if ("value" in read) return read;
      }
      return { expected: how.expected };
  }
}
