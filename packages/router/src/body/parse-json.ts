import { httpErrors } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { rememberLongNumbers } from "./rounded-numbers.js";
import { scanJson } from "./scan-json.js";

/** How strictly a JSON text is read. */
export interface JsonReading {
  /** Only objects and lists. */
  readonly strict: boolean;
  /** How many values it may hold. */
  readonly values: number;
  readonly reviver?: ((key: string, value: unknown) => unknown) | undefined;
}

/** How deep a body may nest (contract C5). */
const deepest = 32;

/**
 * Reads a JSON body. Of duplicate keys the last wins (RFC 8259, section 4, leaves it open).
 *
 * @param text the body as it was decoded from `bytes`
 * @throws {HttpError} 400 for malformed JSON (with the position where it is known), a scalar in strict reading, nesting
 *   over 32 (contract C5) and the key `__proto__` (contract C20), 413 for more values than the limit (contract C59)
 */
export function parseJson(bytes: Buffer, text: string, { strict, values, reviver }: JsonReading): unknown {
  const { fault, path, hasLongNumbers } = scanJson(bytes, { depth: deepest, values });
  if (fault === "too-deep") throw refused("TooDeep", `The body is nested deeper than ${deepest}.`);
  if (fault === "too-many-values") {
    throw httpErrors.PayloadTooLarge(
      `The body holds more than ${values} values. Send fewer at once, or raise the limit (values of the JSON parser).`,
    );
  }
  const value = parse(text, reviver);
  if (strict && (typeof value !== "object" || value === null)) {
    throw refused("InvalidType", "The body must be a JSON object or list.");
  }
  if (fault === "forbidden-key") {
    throw refused("ForbiddenKey", "The key __proto__ is not allowed.", toJsonPointer(path));
  }
  if (hasLongNumbers) rememberLongNumbers(value, bytes);
  return value;
}

function parse(text: string, reviver: JsonReading["reviver"]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused("MalformedJson", `The body is not valid JSON${placeOf(error, text)}.`);
  }
}

function refused(code: string, message: string, path = "") {
  return httpErrors.BadRequest(message, { errors: [{ in: "body", path, code, message }], stack: false });
}

/** The engine's message quotes the body; only its position is told. */
function placeOf(error: SyntaxError, text: string): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position !== undefined) return ` at position ${position}`;
  return error.message.includes("end of JSON input") ? ` at position ${text.length}` : "";
}
