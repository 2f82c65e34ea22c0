import { PathError, splitFieldPath, toJsonPointer } from "@servicekit/core/internal";
import { z } from "zod";
import { count, type ShapeOf, text } from "./option-values.js";

/** The files of a route; served by `@servicekit/uploads`. */
export type UploadsConfig = (SingleUpload | ArrayUpload | FieldsUpload) & UploadOptions;

interface SingleUpload {
  readonly type: "single";
  /** The form field; `author[photo]` is a nested place in the body. */
  readonly field: string;
  readonly fields?: undefined;
  readonly maxCount?: undefined;
}

interface ArrayUpload {
  readonly type: "array";
  /** The form field of all files; `author[photos]` is a nested place in the body. */
  readonly field: string;
  readonly fields?: undefined;
  /** Maximum number of files. @default from the configuration of uploads, by category */
  readonly maxCount?: number;
}

interface FieldsUpload {
  readonly type: "fields";
  readonly field?: undefined;
  /** The form fields. */
  readonly fields: readonly { readonly name: string; readonly maxCount?: number }[];
  readonly maxCount?: undefined;
}

interface UploadOptions {
  /**
   * Where files are stored: a folder in `baseUploadDir`, or an absolute path. @default the folder of the category of
   * the MIME type
   */
  readonly uploadDir?: string;
  /** Maximum file size in bytes. @default from the configuration of uploads */
  readonly maxSize?: number;
  /** Extensions (`png`), MIME types (`image/png`, `image/*`), or a pattern for them. @default from the configuration of uploads */
  readonly allowedFileTypes?: readonly string[] | RegExp;
  /** The value in the body for a file. @default "pathname" */
  readonly attachToBody?: "pathname" | "url" | "file" | false;
  /** Whether the files are deleted if the request fails. @default false */
  readonly deleteOnError?: boolean;
  /** How an image is converted before it is stored (contract C37). */
  readonly image?: UploadedImageOptions;
}

/** The conversion of an uploaded image; requires the package `sharp`. */
export interface UploadedImageOptions {
  /** Pixels, at most 16384. */
  readonly width?: number;
  /** Pixels, at most 16384. */
  readonly height?: number;
  /** How the image is fitted to width and height. @default "cover" */
  readonly fit?: "cover" | "contain" | "fill" | "inside" | "outside";
  /** @default the image's own */
  readonly format?: "jpeg" | "png" | "webp" | "avif";
  /** 1 to 100. @default that of the format */
  readonly quality?: number;
}

const image: ShapeOf<UploadedImageOptions> = {
  width: z.int().min(1).max(16384).optional(),
  height: z.int().min(1).max(16384).optional(),
  fit: z.enum(["cover", "contain", "fill", "inside", "outside"]).optional(),
  format: z.enum(["jpeg", "png", "webp", "avif"]).optional(),
  quality: z.int().min(1).max(100).optional(),
};

/** The options of images, in declarations and in the configuration. */
export const imageSchema = z.strictObject(image);

/** An extension, a MIME type (RFC 6838, section 4.2), or all MIME types of one kind. */
const fileType = z
  .string()
  .regex(/^\s*(\.?[a-z0-9][a-z0-9_+-]*|[a-z0-9][a-z0-9!#$&^_.+-]*\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*))\s*$/i)
  .meta({ expected: 'an extension such as "png", or a MIME type such as "image/png" or "image/*"' });

const uploads = {
  type: z.enum(["single", "array", "fields"]),
  field: text.optional(),
  fields: z
    .array(z.strictObject({ name: text, maxCount: count.optional() }))
    .min(1)
    .meta({ expected: "a list of { name, maxCount }" })
    .optional(),
  uploadDir: text.optional(),
  maxSize: count.optional(),
  maxCount: count.optional(),
  allowedFileTypes: z
    .union([z.array(fileType).min(1), z.instanceof(RegExp)])
    .meta({ expected: "a list of extensions or MIME types, or a regular expression" })
    .optional(),
  attachToBody: z.union([z.enum(["pathname", "url", "file"]), z.literal(false)]).optional(),
  deleteOnError: z.boolean().optional(),
  image: imageSchema.optional(),
} satisfies ShapeOf<UploadsConfig>;

/** The schema of `experimental.uploads` of a route. */
export const uploadsSchema = z.strictObject(uploads).check(({ value, issues }) => {
  for (const [key, message] of contradictions(value)) {
    issues.push({ code: "custom", path: key === "" ? [] : [key], message, input: value });
  }
});

/** The words that are no extensions of files, and what they probably mean: kinds of MIME types, categories and wrong types. */
const otherTypes: ReadonlyMap<string, string> = new Map([
  ...["image", "video", "audio", "text", "font", "application"].map((kind) => [kind, `${kind}/*`] as const),
  ...["images", "photo", "photos", "picture", "pictures"].map((name) => [name, "image/*"] as const),
  ["videos", "video/*"],
  ["audios", "audio/*"],
  ...["document", "documents"].map((name) => [name, "pdf"] as const),
  ["image/jpg", "image/jpeg"],
  ["video/avi", "video/x-msvideo"],
  ["audio/mp3", "audio/mpeg"],
]);

/** Entries that match no file, because no file has this extension or type. A leading dot denotes an extension. */
function* unmatchedTypes(types: readonly string[] | RegExp | undefined): Generator<string> {
  for (const type of Array.isArray(types) ? (types as readonly string[]) : []) {
    const meant = otherTypes.get(type.trim().toLowerCase());
    if (meant !== undefined) yield `${JSON.stringify(type)} matches no file. Did you mean ${JSON.stringify(meant)}?`;
  }
}

/** The contradictions between two keys, and values without an effect. */
function* contradictions({
  type,
  field,
  fields,
  maxCount,
  allowedFileTypes,
}: {
  readonly type: string;
  readonly field?: string | undefined;
  readonly fields?: readonly { readonly name: string }[] | undefined;
  readonly maxCount?: number | undefined;
  readonly allowedFileTypes?: readonly string[] | RegExp | undefined;
}): Generator<readonly [key: string, message: string]> {
  if (type === "fields") {
    if (fields === undefined) yield ["fields", "is missing. Type fields requires it."];
    if (field !== undefined) yield ["field", "cannot be combined with type fields. Set it in fields."];
  } else {
    if (field === undefined) yield ["field", `is missing. Type ${type} requires it.`];
    if (fields !== undefined) yield ["fields", `cannot be combined with type ${type}. Use field.`];
  }
  if (type !== "array" && maxCount !== undefined) yield ["maxCount", "is only allowed with type array."];
  for (const message of unmatchedTypes(allowedFileTypes)) yield ["allowedFileTypes", message];
  const names = type === "fields" ? (fields ?? []).map(({ name }) => name) : [field ?? ""];
  for (const message of checkNames(names)) yield [type === "fields" ? "fields" : "field", message];
}

/** Names that are not valid places, and places that conflict with another. */
function checkNames(names: readonly string[]): string[] {
  const issues: string[] = [];
  const places: [name: string, place: string][] = [];
  for (const name of names) {
    if (name === "") continue;
    try {
      const path = splitFieldPath(name, { notation: "brackets", maxDepth: 6 });
      const place = `${toJsonPointer(path.at(-1) === "" ? path.slice(0, -1) : path)}/`;
      for (const [other, taken] of places) {
        if (place === taken) issues.push(`The field ${other} is listed twice.`);
        else if (place.startsWith(taken) || taken.startsWith(place)) {
          issues.push(`One of the fields ${other} and ${name} is inside the other.`);
        }
      }
      places.push([name, place]);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      issues.push(`The name is invalid. ${error.message}`);
    }
  }
  return issues;
}
