import { type HttpError, httpErrors } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { rememberLongNumbers } from "./rounded-numbers.js";
import { type JsonScan, scanJson } from "./scan-json.js";

/** Maximum nesting depth of a body (contract C5). */
const maxDepth = 32;

/**
 * Checks the bytes of a JSON body before they are parsed.
 *
 * @param max maximum number of values in the body
 * @param before the number of values in earlier parts of the body
 * @throws {HttpError} 400 for nesting over 32 (contract C5), 413 for more values than the limit (contract C59)
 */
export function checkJsonBytes(bytes: Buffer, max: number, before = 0): JsonScan {
  const scan = scanJson(bytes, { depth: maxDepth, values: max - before });
  if (scan.issue === "too-deep") throw rejected("TooDeep", `The body is nested deeper than ${maxDepth}.`);
  if (scan.issue === "too-many-values") throw tooManyValues(max);
  return scan;
}

/** The 413 of a body with more values than the limit. */
export const tooManyValues = (max: number): HttpError =>
  httpErrors.PayloadTooLarge(
    `The body has more than ${max} values. Send fewer per request, or raise the limit (values of the JSON parser).`,
  );

/**
 * Checks a parsed JSON body. Of duplicate keys the last wins (RFC 8259, section 4, leaves it open).
 *
 * @param strict accepts only objects and lists
 * @throws {HttpError} 400 for a scalar in strict mode, and for the key `__proto__` (contract C20)
 */
export function checkJsonValue(
  value: unknown,
  bytes: Buffer,
  { issue, path, hasLongNumbers }: JsonScan,
  strict: boolean,
) {
  if (strict && (typeof value !== "object" || value === null)) {
    throw rejected("InvalidType", "The body must be a JSON object or list.");
  }
  if (issue === "forbidden-key") {
    throw rejected("ForbiddenKey", "The key __proto__ is not allowed.", toJsonPointer(path));
  }
  if (hasLongNumbers) rememberLongNumbers(value, bytes);
}

/** The 400 of malformed JSON, with the position where it is known; `undefined` for other errors of the JSON parser. */
export function toJsonError(error: unknown): HttpError | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return rejected("MalformedJson", `The body is not valid JSON${placeOf(error)}.`);
}

function rejected(code: string, message: string, path = "") {
  return httpErrors.BadRequest(message, { errors: [{ in: "body", path, code, message }], stack: false });
}

/** The engine's message quotes the body; only its position is reported. Express adds the text of the body. */
function placeOf(error: SyntaxError & { readonly body?: unknown }): string {
  const position = /at position (\d+)/.exec(error.message)?.[1];
  if (position !== undefined) return ` at position ${position}`;
  const { message, body } = error;
  return message.includes("end of JSON input") && typeof body === "string" ? ` at position ${body.length}` : "";
}
