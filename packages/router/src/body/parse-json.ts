import { httpErrors } from "@servicekit/errors";
import { findForbiddenKey, toJsonPointer } from "@servicekit/field-path";
import { markRoundedNumbers } from "./rounded-numbers.js";

/** How strictly a JSON text is read. */
export interface JsonReading {
  /** Only objects and lists. */
  readonly strict: boolean;
  readonly reviver?: ((key: string, value: unknown) => unknown) | undefined;
}

/**
 * Reads a JSON body. Of duplicate keys the last wins (RFC 8259, section 4, leaves it open).
 *
 * @throws {HttpError} 400 for malformed JSON (with the position where it is known), a scalar in strict reading, nesting
 *   over 32 (contract C5) and the key `__proto__` (contract C20)
 */
export function parseJson(text: string, { strict, reviver }: JsonReading): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text, reviver);
  } catch (error) {
    // A reviver makes the engine recurse.
    if (error instanceof RangeError) throw refused("too_deep", tooDeep);
    if (!(error instanceof SyntaxError)) throw error;
    throw refused("malformed_json", `The body is not valid JSON${placeOf(error, text)}.`);
  }
  if (strict && (typeof value !== "object" || value === null)) {
    throw refused("scalar_json", "The body must be a JSON object or list.");
  }
  const found = findForbiddenKey(value);
  if (found?.fault === "forbidden") {
    throw refused("forbidden_key", "The key __proto__ is not allowed.", toJsonPointer(found.path));
  }
  if (found?.fault === "too-deep") throw refused("too_deep", tooDeep);
  markRoundedNumbers(value, text);
  return value;
}

const tooDeep = "The body is nested deeper than 32.";

function refused(code: string, message: string, path = "") {
  return httpErrors.BadRequest(message, { errors: [{ in: "body", path, code, message }] });
}

/** The engine's message quotes the body; only its position is told. */
function placeOf(error: SyntaxError, text: string): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position !== undefined) return ` at position ${position}`;
  return error.message.includes("end of JSON input") ? ` at position ${text.length}` : "";
}
