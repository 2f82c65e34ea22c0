import { defineErrors, type HttpError, isHttpError } from "@servicekit/core";
import { fieldCode, PathError, toJsonPointer } from "@servicekit/core/internal";

/** The errors of multipart forms (contract C34). */
export const formErrors = defineErrors({
  MalformedForm: { status: 400, message: "The form is malformed.", place: { in: "body", path: "" } },
  InvalidFieldName: {
    status: 400,
    message: "A field of the form has an invalid name.",
    place: { in: "body", path: "" },
  },
  UnexpectedFile: {
    status: 400,
    message: "A file was sent in a field that does not accept files.",
    place: { in: "files", path: "" },
  },
  FileTooLarge: { status: 413, message: "The file is too large.", place: { in: "files", path: "" } },
  FormTooLarge: { status: 413, message: "The form is too large.", place: { in: "body", path: "" } },
});

/** The JSON Pointer of a form field; its name may be any text. */
export function fieldPointer(field: string): string {
  return toJsonPointer(
    field
      .slice(0, 200)
      .split(/[[\]]+/)
      .filter((part, index) => part !== "" || index === 0),
  );
}

/** The error of a field name that cannot be used, as the client sent it. */
export function fieldNameError({ issue, message }: PathError, name: string): HttpError {
  return formErrors.InvalidFieldName(message, {
    errors: [{ in: "body", path: fieldPointer(name), code: fieldCode(issue), message }],
  });
}

interface ForeignError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly message?: unknown;
}

/** Translates an error of a form, of multer or of its parser to a 4xx (contract C3); `undefined` for other errors. */
export function toFormError(error: unknown): HttpError | undefined {
  if (isHttpError(error)) return error;
  if (error instanceof PathError) return fieldNameError(error, error.field);
  const { name, code, field, message } = (typeof error === "object" && error !== null ? error : {}) as ForeignError;
  if (name === "MulterError") return multerError(String(code), typeof field === "string" ? field : "", error);
  const text = String(message);
  if (/^(Multipart: Boundary not found|Malformed content type|Missing Content-Type)/.test(text)) {
    return formErrors.MalformedForm("The content type of the form has no boundary.", { cause: error });
  }
  if (/^(Malformed part header|Unexpected end of (form|file))/.test(text)) {
    return formErrors.MalformedForm("The form is malformed or truncated.", { cause: error });
  }
  return undefined;
}

function multerError(code: string, field: string, cause: unknown): HttpError {
  switch (code) {
    case "LIMIT_FILE_SIZE": {
      const message = "The file is too large.";
      const errors = [{ in: "files", path: fieldPointer(field), code: "FileTooLarge", message }] as const;
      return formErrors.FileTooLarge(message, { cause, errors });
    }
    case "MISSING_FIELD_NAME":
      return formErrors.InvalidFieldName("A field of the form has no name.", { cause });
    case "LIMIT_FIELD_KEY":
      return formErrors.InvalidFieldName("A field of the form has a name that is too long.", { cause });
    default:
      return formErrors.MalformedForm(undefined, { cause });
  }
}
