import { PathError, splitFieldPath, toJsonPointer } from "@servicekit/field-path";
import { checkShape, isBoolean, isCount, isOneOf, isPlainObject, isText, isWithin } from "./check-shape.js";

/** Files that a route takes; `@servicekit/uploads` serves it. */
export interface UploadsConfig {
  readonly type: "single" | "array" | "fields";
  /** The form field, for `single` and `array`; `author[photo]` stands for a nested place in the body. */
  readonly field?: string;
  /** The form fields, for `fields`. */
  readonly fields?: readonly { readonly name: string; readonly maxCount?: number }[];
  /** Where files are stored: a folder in `baseUploadDir`, or an absolute path. @default the folder of the category that the MIME type falls in */
  readonly uploadDir?: string;
  /** The largest file, in bytes. @default from the configuration of uploads */
  readonly maxSize?: number;
  /** The most files, for `array`. @default from the configuration of uploads, by category */
  readonly maxCount?: number;
  /** Extensions, or a pattern for them. @default from the configuration of uploads */
  readonly allowedFileTypes?: readonly string[] | RegExp;
  /** What is put into the body for a file. @default "pathname" */
  readonly attachToBody?: "pathname" | "url" | "file" | false;
  /** Whether the files are removed when the request fails. @default false */
  readonly deleteOnError?: boolean;
  /** How an image is changed before it is stored (contract C37). */
  readonly image?: UploadedImageOptions;
}

/** How an uploaded image is changed; needs the package `sharp`. */
export interface UploadedImageOptions {
  /** Pixels, at most 16384. */
  readonly width?: number;
  /** Pixels, at most 16384. */
  readonly height?: number;
  /** How the image fits into width and height. @default "cover" */
  readonly fit?: "cover" | "contain" | "fill" | "inside" | "outside";
  /** @default the image's own */
  readonly format?: "jpeg" | "png" | "webp" | "avif";
  /** 1 to 100. @default the format's own */
  readonly quality?: number;
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
    image: { expected: "an object", test: isPlainObject },
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
  if (isPlainObject(value.image)) faults.push(...checkImage(value.image));
  faults.push(...checkNames(type === "fields" && isFields.test(fields) ? namesOf(fields) : [field]));
  return faults;
}

function checkImage(image: Readonly<Record<string, unknown>>): string[] {
  const faults = checkShape(image, {
    width: isWithin(1, 16384),
    height: isWithin(1, 16384),
    fit: isOneOf("cover", "contain", "fill", "inside", "outside"),
    format: isOneOf("jpeg", "png", "webp", "avif"),
    quality: isWithin(1, 100),
  });
  return faults.map((fault) => (fault.startsWith(".") ? `.image${fault}` : `.image ${fault}`));
}

const namesOf = (fields: unknown): unknown[] => (fields as { name: unknown }[]).map(({ name }) => name);

/** Names that cannot be read as places, and places that are in the way of another. */
function checkNames(names: readonly unknown[]): string[] {
  const faults: string[] = [];
  const places: [name: string, place: string][] = [];
  for (const name of names) {
    if (typeof name !== "string" || name === "") continue;
    try {
      const path = splitFieldPath(name, { notation: "brackets", maxDepth: 6 });
      const place = `${toJsonPointer(path.at(-1) === "" ? path.slice(0, -1) : path)}/`;
      for (const [other, taken] of places) {
        if (place === taken) faults.push(`names the field ${other} twice.`);
        else if (place.startsWith(taken) || taken.startsWith(place)) {
          faults.push(`has the fields ${other} and ${name}, of which one is inside the other.`);
        }
      }
      places.push([name, place]);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      faults.push(`has a field name that cannot be used. ${error.message}`);
    }
  }
  return faults;
}
