import type { HttpError } from "@servicekit/core";
import { fieldPointer } from "@servicekit/router/internal";

/** An error that names the field of a file. */
export function fileError(
  make: (message: string, options: object) => HttpError,
  { field, code, message, index }: { field: string; code: string; message: string; index?: number | undefined },
): HttpError {
  const path = index === undefined ? fieldPointer(field) : `${fieldPointer(field)}/${index}`;
  return make(message, { errors: [{ in: "files", path, code, message }] });
}
