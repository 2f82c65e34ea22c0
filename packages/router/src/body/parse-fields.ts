import { httpErrors } from "@servicekit/errors";
import { PathError, setAtPath, splitFieldPath, toJsonPointer } from "@servicekit/field-path";

/** How the names of form fields are read. */
export interface FieldReading {
  /** Whether `a[b]` nests. */
  readonly extended: boolean;
  /** The most fields. */
  readonly parameterLimit: number;
}

/**
 * Makes an object of form fields; repeated names become lists.
 *
 * @throws {HttpError} 413 for more fields than the limit, 400 for a name that is malformed, conflicts with another,
 *   nests too deep or has a prototype key (contract C20)
 */
export function parseFields(fields: Iterable<readonly [string, string]>, reading: FieldReading): object {
  const body: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of fields) {
    if (++count > reading.parameterLimit) {
      throw httpErrors.PayloadTooLarge(`The form has more than ${reading.parameterLimit} fields.`);
    }
    try {
      setAtPath(body, reading.extended ? splitFieldPath(name, { notation: "brackets" }) : [name], value);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      const { fault, message } = error;
      throw httpErrors.BadRequest(message, {
        errors: [{ in: "body", path: toJsonPointer([name.slice(0, 100)]), code: fault.replaceAll("-", "_"), message }],
      });
    }
  }
  return body;
}
