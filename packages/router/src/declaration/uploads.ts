import { PathError, splitFieldPath, toJsonPointer } from "@servicekit/core/internal";
import { z } from "zod";
import { count, type ShapeOf, text } from "./option-values.js";

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
  /** Extensions (`png`), MIME types (`image/png`, `image/*`), or a pattern for them. @default from the configuration of uploads */
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

/** What one key says against another. */
function* contradictions({
  type,
  field,
  fields,
  maxCount,
}: {
  readonly type: string;
  readonly field?: string | undefined;
  readonly fields?: readonly { readonly name: string }[] | undefined;
  readonly maxCount?: number | undefined;
}): Generator<readonly [key: string, message: string]> {
  if (type === "fields") {
    if (fields === undefined) yield ["fields", "It is missing, which type fields needs."];
    if (field !== undefined) yield ["field", "It contradicts type fields; name it in fields."];
  } else {
    if (field === undefined) yield ["field", `It is missing, which type ${type} needs.`];
    if (fields !== undefined) yield ["fields", `It contradicts type ${type}; use field.`];
  }
  if (type !== "array" && maxCount !== undefined) yield ["maxCount", "It belongs to type array only."];
  const names = type === "fields" ? (fields ?? []).map(({ name }) => name) : [field ?? ""];
  for (const message of checkNames(names)) yield [type === "fields" ? "fields" : "field", message];
}

/** Names that cannot be read as places, and places that are in the way of another. */
function checkNames(names: readonly string[]): string[] {
  const faults: string[] = [];
  const places: [name: string, place: string][] = [];
  for (const name of names) {
    if (name === "") continue;
    try {
      const path = splitFieldPath(name, { notation: "brackets", maxDepth: 6 });
      const place = `${toJsonPointer(path.at(-1) === "" ? path.slice(0, -1) : path)}/`;
      for (const [other, taken] of places) {
        if (place === taken) faults.push(`The field ${other} is named twice.`);
        else if (place.startsWith(taken) || taken.startsWith(place)) {
          faults.push(`Of the fields ${other} and ${name} one is inside the other.`);
        }
      }
      places.push([name, place]);
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      faults.push(`The name cannot be used. ${error.message}`);
    }
  }
  return faults;
}
