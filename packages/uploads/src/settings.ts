import { resolve } from "node:path";
import type { UploadsConfig } from "@servicekit/router";
import { count, imageSchema } from "@servicekit/router/settings";
import type { Response } from "express";
import { z } from "zod";
import { type FileTypes, toFileTypes } from "./files/check-file.js";
import { categoryExtensions, type FileCategory, fileCategories } from "./files/file-category.js";

export { fileUploadModule } from "./module/module-kind.js";

/** The rules for files of one category. */
export interface RestrictionConfig {
  /** Maximum number of files per request. */
  readonly maxCount?: number;
  /** Maximum size of one file in bytes. */
  readonly maxSize?: number;
  /** Matched against the extension (`png`, `.png`) and its MIME type. */
  readonly supportedFilesRegex?: RegExp;
}

/** How stored files are served. */
export interface ServerStaticOptions {
  /** How long a browser may cache a file: milliseconds, or a string such as `1d`. @default 0 */
  readonly maxAge?: number | string;
  /** Adds `immutable` to `Cache-Control`. @default false */
  readonly immutable?: boolean;
  /** Whether `Cache-Control` is sent. @default true */
  readonly cacheControl?: boolean;
  /** @default true */
  readonly etag?: boolean;
  /** @default true */
  readonly lastModified?: boolean;
  /** Whether ranges are supported. @default true */
  readonly acceptRanges?: boolean;
  /** Sets further headers; `name` is the name of the stored file. */
  readonly setHeaders?: (response: Response, name: string) => void;
}

/** A bucket of an S3-compatible store (contract C36). */
export interface S3StorageConfig {
  readonly type: "s3";
  readonly bucket: string;
  /** @default "us-east-1" */
  readonly region?: string;
  /** The address of a store other than AWS, such as `https://minio.example.com`. */
  readonly endpoint?: string;
  /** @default what the AWS client finds by itself */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Whether the bucket is in the path instead of the host name. @default true with an endpoint */
  readonly forcePathStyle?: boolean;
  /** The prefix of every key, such as `uploads/`. @default "" */
  readonly prefix?: string;
}

/** The conversion of images before they are stored (contract C37); requires `sharp`. */
export type ImageOptions = NonNullable<UploadsConfig["image"]>;

/** The formats for conversions by query. */
export const imageFormats = ["jpeg", "png", "webp", "avif"] as const;

/** The image options that clients may use in the query of an upload (contract C37, C59). */
export interface ImageQueryConfig {
  /** Maximum width that a client may request. @default 2048 */
  readonly maxWidth?: number;
  /** @default 2048 */
  readonly maxHeight?: number;
  /** The formats that a client may request. @default all of them */
  readonly formats?: readonly (typeof imageFormats)[number][];
}

/** The configuration of uploads (specification, "fileUpload"; contract C33 to C37). */
export interface FileUploadConfig {
  /** `"/uploads"` means `uploads` in the working directory; any other path is taken as it is. @default "/uploads" */
  readonly baseUploadDir?: string;
  /** @default "/api/uploads" */
  readonly baseRoute?: string;
  readonly serverStatic?: ServerStaticOptions;
  /** The name of `serverStatic` in the init form. */
  readonly serverStaticOptions?: ServerStaticOptions;
  readonly restrictions?: Readonly<Partial<Record<FileCategory, RestrictionConfig>>>;
  /** @default "disk" */
  readonly storage?: "disk" | { readonly type: "disk" } | S3StorageConfig;
  /** The conversion of images that are sent to the upload route. */
  readonly image?: ImageOptions;
  /** Allows `?width=200&format=webp` and similar to clients of the upload route; without it they are 400. */
  readonly imageQuery?: ImageQueryConfig;
}

/** The complete rules of one category. */
export interface Restriction {
  readonly maxCount: number;
  readonly maxSize: number;
  readonly supportedFiles: FileTypes;
}

/** The settings of uploads, complete and frozen. */
export interface UploadSettings {
  /** The working directory. */
  readonly directory: string;
  /** An absolute path. */
  readonly baseUploadDir: string;
  /** With a leading slash and no trailing one. */
  readonly baseRoute: string;
  readonly serverStatic: Required<Omit<ServerStaticOptions, "maxAge" | "setHeaders">> & {
    /** Seconds. */
    readonly maxAge: number;
    /** Sets headers of the response with a file. */
    readonly setHeaders: ServerStaticOptions["setHeaders"];
  };
  readonly restrictions: Readonly<Record<FileCategory, Restriction>>;
  readonly storage: { readonly type: "disk" } | S3StorageConfig;
  readonly image: ImageOptions | undefined;
  readonly imageQuery: Required<ImageQueryConfig> | undefined;
  /** The origin of URLs; without one they are paths. */
  readonly publicUrl: () => string;
}

/** The settings of the service that uploads need. */
export interface UploadContext {
  /** The working directory. */
  readonly directory: string;
  /** The public URL of the service, such as `https://api.example.com`; a function is called on each use. */
  readonly publicUrl?: string | (() => string) | undefined;
}

const regex = z.custom<RegExp>((value) => value instanceof RegExp).meta({ expected: "a regular expression" });
const duration = /^(\d{1,9})\s*(ms|s|m|h|d|w|y)?$/;

const serverStatic = z.strictObject({
  maxAge: z
    .union([z.number().min(0), z.string().regex(duration)])
    .meta({ expected: "a number of milliseconds or a string such as 1d" })
    .optional(),
  immutable: z.boolean().optional(),
  cacheControl: z.boolean().optional(),
  etag: z.boolean().optional(),
  lastModified: z.boolean().optional(),
  acceptRanges: z.boolean().optional(),
  setHeaders: z
    .custom<NonNullable<ServerStaticOptions["setHeaders"]>>((value) => typeof value === "function")
    .meta({ expected: "a function" })
    .optional(),
});

const restriction = z.strictObject({
  maxCount: count.optional(),
  maxSize: count.optional(),
  supportedFilesRegex: regex.optional(),
});

const length = z.int().min(1).max(16384);

const imageQuery = z.strictObject({
  maxWidth: length.optional(),
  maxHeight: length.optional(),
  formats: z.array(z.enum(imageFormats)).min(1).optional(),
});

const s3 = z.strictObject({
  type: z.literal("s3"),
  bucket: z.string().min(1),
  region: z.string().min(1).optional(),
  endpoint: z.url().optional(),
  credentials: z
    .strictObject({
      accessKeyId: z.string().min(1),
      secretAccessKey: z.string().min(1),
      sessionToken: z.string().min(1).optional(),
    })
    .meta({ secret: true })
    .optional(),
  forcePathStyle: z.boolean().optional(),
  prefix: z.string().optional(),
});

/** The schema of {@link FileUploadConfig} (contract C38): an unknown key is an issue at every level. */
export const fileUploadSchema = z.strictObject({
  baseUploadDir: z.string().min(1).optional(),
  baseRoute: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+\/?$/)
    .meta({ expected: "a path such as /api/uploads" })
    .optional(),
  serverStatic: serverStatic.optional(),
  serverStaticOptions: serverStatic.optional(),
  restrictions: z
    .strictObject({
      images: restriction.optional(),
      videos: restriction.optional(),
      documents: restriction.optional(),
      files: restriction.optional(),
    })
    .optional(),
  storage: z
    .union([z.literal("disk"), z.discriminatedUnion("type", [z.strictObject({ type: z.literal("disk") }), s3])])
    .meta({ expected: '"disk" or { type: "s3", bucket, … }' })
    .optional(),
  image: imageSchema.optional(),
  imageQuery: imageQuery.optional(),
});

const megabyte = 1024 * 1024;
const defaults: Readonly<Record<FileCategory, { readonly maxCount: number; readonly maxSize: number }>> = {
  images: { maxCount: 30, maxSize: 15 * megabyte },
  videos: { maxCount: 10, maxSize: 1024 * megabyte },
  documents: { maxCount: 30, maxSize: 50 * megabyte },
  files: { maxCount: 10, maxSize: 1024 * megabyte },
};

/** The complete settings of a configuration validated with {@link fileUploadSchema} (contract C33). */
export function readUploadSettings(
  config: FileUploadConfig | undefined,
  { directory, publicUrl }: UploadContext,
): UploadSettings {
  const {
    baseUploadDir = defaultUploadDir,
    baseRoute = "/api/uploads",
    restrictions = {},
    storage = "disk",
    image,
    imageQuery,
  } = config ?? {};
  const given: ServerStaticOptions = config?.serverStatic ?? config?.serverStaticOptions ?? {};
  const origin = typeof publicUrl === "function" ? publicUrl : () => publicUrl ?? "";
  return Object.freeze<UploadSettings>({
    directory,
    baseUploadDir: toUploadDir(baseUploadDir, directory),
    baseRoute: baseRoute.replace(/\/$/, ""),
    serverStatic: Object.freeze({
      maxAge: readDuration(given.maxAge ?? 0),
      immutable: given.immutable ?? false,
      cacheControl: given.cacheControl ?? true,
      etag: given.etag ?? true,
      lastModified: given.lastModified ?? true,
      acceptRanges: given.acceptRanges ?? true,
      setHeaders: given.setHeaders,
    }),
    restrictions: Object.freeze(
      Object.fromEntries(
        fileCategories.map((category) => [category, readRestriction(category, restrictions[category])]),
      ) as Record<FileCategory, Restriction>,
    ),
    storage: Object.freeze(storage === "disk" ? { type: "disk" } : { ...storage }),
    image: image === undefined ? undefined : Object.freeze({ ...image }),
    imageQuery:
      imageQuery === undefined
        ? undefined
        : Object.freeze({ maxWidth: 2048, maxHeight: 2048, formats: imageFormats, ...imageQuery }),
    publicUrl: () => origin().replace(/\/+$/, ""),
  });
}

/** The default of the specification, which is a folder of the application, not of the file system. */
const defaultUploadDir = "/uploads";

/** An absolute path; the default written out counts as unset. */
function toUploadDir(configured: string, directory: string): string {
  return resolve(directory, configured.replace(/\/+$/, "") === defaultUploadDir ? "uploads" : configured);
}

function readRestriction(category: FileCategory, given: RestrictionConfig = {}): Restriction {
  const pattern = given.supportedFilesRegex ?? defaultPattern(category);
  return Object.freeze({
    maxCount: given.maxCount ?? defaults[category].maxCount,
    maxSize: given.maxSize ?? defaults[category].maxSize,
    supportedFiles: toFileTypes(pattern),
  });
}

function defaultPattern(category: FileCategory): RegExp {
  return category === "files" ? /^/ : new RegExp(`^(?:${categoryExtensions[category].join("|")})$`);
}

const seconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 } as const;

/** Integer seconds, at most a year, as in `send`. */
function readDuration(value: number | string): number {
  const [, digits = "0", unit = "ms"] = typeof value === "number" ? ["", value, "ms"] : (duration.exec(value) ?? []);
  return Math.min(Math.floor(Number(digits) * seconds[unit as keyof typeof seconds]), seconds.y);
}
