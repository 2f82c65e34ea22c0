import { checkShape, isAnything, isBoolean, isCount, isOneOf, isPlainObject, isText } from "./check-shape.js";

/** Files that a route takes; `@servicekit/uploads` serves it. */
export interface UploadsConfig {
  readonly type: "single" | "array" | "fields";
  /** The form field, for `single` and `array`. */
  readonly field?: string;
  /** The form fields, for `fields`. */
  readonly fields?: readonly { readonly name: string; readonly maxCount?: number }[];
  /** Where files are stored. @default the folder of the category that the MIME type falls in */
  readonly uploadDir?: string;
  /** The largest file, in bytes. @default from the configuration of uploads */
  readonly maxSize?: number;
  /** The most files, for `array`. */
  readonly maxCount?: number;
  /** Extensions, or a pattern for them. @default from the configuration of uploads */
  readonly allowedFileTypes?: readonly string[] | RegExp;
  /** What is put into the body for a file. @default "pathname" */
  readonly attachToBody?: "pathname" | "url" | "file" | false;
  /** Whether the files are removed when the request fails. @default false */
  readonly deleteOnError?: boolean;
  /** How an image is changed before it is stored (contract C37). */
  readonly image?: Readonly<Record<string, unknown>>;
}

const isFileTypes = {
  expected: "a list of extensions or a regular expression",
  test: (value: unknown): boolean =>
    value instanceof RegExp || (Array.isArray(value) && value.every((item) => typeof item === "string")),
};

const isFields = {
  expected: "a list of { name, maxCount }",
  test: (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (item) => checkShape(item, { name: isText, maxCount: isCount }).length === 0 && item.name !== undefined,
    ),
};

/** The faults of an `experimental.uploads` value, in words. */
export function checkUploads(value: unknown): string[] {
  const faults = checkShape(value, {
    type: isOneOf("single", "array", "fields"),
    field: isText,
    fields: isFields,
    uploadDir: isText,
    maxSize: isCount,
    maxCount: isCount,
    allowedFileTypes: isFileTypes,
    attachToBody: isOneOf("pathname", "url", "file", false),
    deleteOnError: isBoolean,
    image: isAnything,
  });
  if (!isPlainObject(value)) return faults;
  const { type, field, fields, maxCount } = value;
  if (type === undefined) faults.push(".type is missing.");
  if (type === "fields" && fields === undefined) faults.push(".fields is missing, which type fields needs.");
  if (type === "fields" && field !== undefined) faults.push(".field contradicts type fields; name it in fields.");
  if ((type === "single" || type === "array") && field === undefined) {
    faults.push(`.field is missing, which type ${type} needs.`);
  }
  if ((type === "single" || type === "array") && fields !== undefined) {
    faults.push(`.fields contradicts type ${type}; use field.`);
  }
  if (type !== "array" && maxCount !== undefined) faults.push(".maxCount belongs to type array only.");
  return faults;
}
