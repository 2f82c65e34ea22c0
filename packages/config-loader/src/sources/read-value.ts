import { joinOr } from "@servicekit/core/internal";

/** How a text of the environment or of the command line becomes a value. */
export type ValueType =
  | { readonly type: "text" | "integer" | "number" | "port" | "boolean" }
  | { readonly type: "enum"; readonly values: readonly string[] }
  /** Several of one kind, with commas between them. */
  | { readonly type: "list"; readonly of: ValueType }
  /** The first of several kinds that the text can be read as; `expected` says all of them in words. */
  | { readonly type: "any"; readonly of: readonly ValueType[]; readonly expected: string };

/** The value, or what was expected in its place. */
export type ReadValue = { readonly value: TextValue } | { readonly expected: string };

/** What a text can say. */
export type TextValue = string | number | boolean | readonly TextValue[];

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
