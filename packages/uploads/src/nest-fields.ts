import { type Nested, PathError, setAtPath, splitFieldPath } from "@servicekit/core/internal";
import { fieldNameFault } from "./form-fault.js";
import { multipartLimits } from "./multipart-limits.js";
import type { FormFields } from "./receive-form.js";

/**
 * The body that text fields make: bracket names nest, repeated names are lists (specification, "Rules for field names").
 *
 * @throws {HttpError} 400 for a name that is malformed, conflicts with another or has a prototype key
 */
export function nestFields(fields: FormFields): Nested {
  const body: Nested = {};
  for (const [name, value] of fields) {
    try {
      const path = splitFieldPath(name, { notation: "brackets", maxDepth: multipartLimits.fieldNestingDepth + 1 });
      setAtPath(body, path, value, { maxIndex: multipartLimits.fieldArrayIndexLimit });
    } catch (error) {
      throw error instanceof PathError ? fieldNameFault(error, name) : error;
    }
  }
  return body;
}
