import { httpErrors } from "@servicekit/core";
import { fieldCode, PathError, setAtPath, splitFieldPath, toJsonPointer } from "@servicekit/core/internal";

/** How the names of form fields are read. */
export interface FieldReading {
  /** Whether `a[b]` creates nested objects. */
  readonly extended: boolean;
  /** Maximum number of fields. */
  readonly parameterLimit: number;
}

/**
 * Creates an object from form fields; repeated names become lists.
 *
 * @throws {HttpError} 413 for more fields than the limit, 400 for a name that is malformed, conflicts with another, is
 * nested too deeply or contains a prototype key (contract C20)
 */
export function parseFields(fields: Iterable<readonly [string, string]>, reading: FieldReading): object {
  const body: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of fields) {
    if (++count > reading.parameterLimit) throw tooManyFields(reading.parameterLimit);
    try {
      setAtPath(body, reading.extended ? splitFieldPath(name, { notation: "brackets" }) : [name], value);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      const { issue, message } = error;
      throw httpErrors.BadRequest(message, {
        errors: [{ in: "body", path: toJsonPointer([name.slice(0, 100)]), code: fieldCode(issue), message }],
      });
    }
  }
  return body;
}

/**
 * Counts the fields of a url-encoded form before any of them is read, because each costs more than its bytes.
 *
 * @throws {HttpError} 413 for more than the limit
 */
export function checkFieldCount(body: Buffer, parameterLimit: number): void {
  let count = 0;
  for (let at = body.indexOf("&"); at !== -1; at = body.indexOf("&", at + 1)) {
    // An empty field between two separators is ignored, but costs time as well.
    if (++count > parameterLimit) throw tooManyFields(parameterLimit);
  }
}

/**
 * The same url-encoded form with spaces in place of `+`. As text, each of them would become a separate string, which
 * takes 40 ms for a body of 1 MB.
 */
export function plusToSpace(body: Buffer): Buffer {
  const spaced = Buffer.from(body);
  for (let at = 0; at < spaced.length; at++) if (spaced[at] === 0x2b) spaced[at] = 0x20;
  return spaced;
}

const tooManyFields = (max: number) => httpErrors.PayloadTooLarge(`The form has more than ${max} fields.`);
