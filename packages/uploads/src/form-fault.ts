import { type HttpError, isHttpError } from "@servicekit/core";
import { PathError, toJsonPointer } from "@servicekit/core/internal";
import { uploadErrors } from "./errors.js";

interface FormError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly message?: unknown;
}

/** The pointer of a field whose name may be anything. */
export function pointerOf(field: string): string {
  return toJsonPointer(
    field
      .slice(0, 200)
      .split(/[[\]]+/)
      .filter((part, index) => part !== "" || index === 0),
  );
}

/** A refusal that names the field of a file. */
export function fileFault(
  make: (message: string, options: object) => HttpError,
  { field, code, message, index }: { field: string; code: string; message: string; index?: number | undefined },
): HttpError {
  const path = index === undefined ? pointerOf(field) : `${pointerOf(field)}/${index}`;
  return make(message, { errors: [{ in: "files", path, code, message }] });
}

/**
 * The 4xx of any fault of a form, of multer and its parser as well as our own (contract C3); `undefined` for an error
 * that is not the form's.
 */
export function toFormFault(error: unknown): HttpError | undefined {
  if (isHttpError(error)) return error;
  if (error instanceof PathError) return fieldNameFault(error, error.field);
  const { name, code, field, message } = (typeof error === "object" && error !== null ? error : {}) as FormError;
  if (name === "MulterError") return multerFault(String(code), typeof field === "string" ? field : "");
  const text = String(message);
  if (/^(Multipart: Boundary not found|Malformed content type|Missing Content-Type)/.test(text)) {
    return uploadErrors.MalformedForm("The content type of the form names no boundary.", { cause: error });
  }
  if (/^(Malformed part header|Unexpected end of (form|file))/.test(text)) {
    return uploadErrors.MalformedForm("The form is malformed, or it ends too early.", { cause: error });
  }
  return undefined;
}

/** A field name that cannot be used, as the client wrote it. */
export function fieldNameFault({ fault, message }: PathError, name: string): HttpError {
  const code = fault.replaceAll("-", "_");
  return uploadErrors.InvalidFieldName(message, { errors: [{ in: "body", path: pointerOf(name), code, message }] });
}

function multerFault(code: string, field: string): HttpError {
  const name = (message: string) =>
    uploadErrors.InvalidFieldName(message, {
      errors: [{ in: "body", path: pointerOf(field), code: "InvalidFieldName", message }],
    });
  switch (code) {
    case "LIMIT_FILE_SIZE":
      return fileFault(uploadErrors.FileTooLarge, { field, code: "FileTooLarge", message: "The file is too large." });
    case "LIMIT_FILE_COUNT":
      return uploadErrors.TooManyFiles();
    case "LIMIT_UNEXPECTED_FILE":
      return fileFault(uploadErrors.UnexpectedFile, {
        field,
        code: "UnexpectedFile",
        message: "A file came in a field that takes none.",
      });
    case "LIMIT_PART_COUNT":
    case "LIMIT_FIELD_COUNT":
      return uploadErrors.FormTooLarge("The form has too many fields.");
    case "LIMIT_FIELD_VALUE":
      return uploadErrors.FormTooLarge("A field of the form is too large.");
    case "MISSING_FIELD_NAME":
      return uploadErrors.InvalidFieldName("A field of the form has no name.");
    case "LIMIT_FIELD_KEY":
      return uploadErrors.InvalidFieldName("A field of the form has a name that is too long.");
    case "LIMIT_FIELD_NESTING":
      return name("A field of the form has a name that nests too deep.");
    case "LIMIT_FIELD_ARRAY_INDEX":
      return name("A field of the form has a name with an index that is too high.");
    case "INVALID_FIELD_NAME":
      return name("A field of the form has a name that cannot be used.");
    default:
      return uploadErrors.MalformedForm();
  }
}
