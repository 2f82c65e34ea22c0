import { existsSync } from "node:fs";
import { isAbsolute, parse, relative, resolve } from "node:path";
import { type FieldPath, splitFieldPath, toJsonPointer } from "@servicekit/core/internal";
import type { UploadsConfig } from "@servicekit/router";
import { type FileTypes, toFileTypes } from "../files/check-file.js";
import { type FileCategory, fileCategories } from "../files/file-category.js";
import type { ImageChange } from "../images/image-size.js";
import type { ImageOptions, UploadSettings } from "../settings.js";
import { isOutside } from "../storage/disk.js";

/** Segments of a field name. */
export const maxNameDepth = 6;

/** A form field that accepts files. */
export interface PlannedField {
  readonly name: string;
  /** The place of its value in the body. */
  readonly path: FieldPath;
  /** `undefined` if only the category of a file sets the maximum number. */
  readonly maxCount: number | undefined;
  /** Whether it attaches one value instead of a list. */
  readonly isSingle: boolean;
}

/** The accepted parts of a form, known at startup. */
export interface UploadPlan {
  readonly fields: readonly PlannedField[];
  /** The required category of every file; `undefined` for the category by file type. */
  readonly category: FileCategory | undefined;
  /** The target folder; `undefined` is the folder of the category. */
  readonly folder: string | undefined;
  /** Bytes; `undefined` is the limit of the file's category. */
  readonly maxSize: number | undefined;
  /** `undefined` is the rule of the file's category. */
  readonly types: FileTypes | undefined;
  readonly image: ImageChange | undefined;
  /** Maximum number of files per form, and maximum size of each in bytes. */
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** The plan of a route that declares uploads; the declaration has been validated. */
export function readUploadPlan(config: UploadsConfig, settings: UploadSettings): UploadPlan {
  const { type, field = "", fields = [], maxSize, maxCount, allowedFileTypes, uploadDir, image } = config;
  const planned =
    type === "fields"
      ? fields.map((entry) => planField(entry.name, entry.maxCount, entry.maxCount === 1))
      : [planField(field, type === "single" ? 1 : maxCount, type === "single")];
  const limits = Object.values(settings.restrictions);
  const maxOfCategories = limits.reduce((sum, limit) => sum + limit.maxCount, 0);
  return Object.freeze({
    fields: planned,
    category: undefined,
    folder: uploadDir === undefined ? undefined : toFolder(uploadDir, settings),
    maxSize,
    types: allowedFileTypes === undefined ? undefined : toFileTypes(allowedFileTypes),
    image,
    maxFiles: planned.reduce((sum, entry) => sum + (entry.maxCount ?? maxOfCategories), 0),
    maxBytes: maxSize ?? Math.max(...limits.map((limit) => limit.maxSize)),
  });
}

/** The plan of the upload route of a category: the field has its name, or is `file` (contract C34). */
export function planCategory(category: FileCategory, settings: UploadSettings, image?: ImageOptions): UploadPlan {
  const { maxCount, maxSize } = settings.restrictions[category];
  return Object.freeze({
    fields: [planField(category, undefined, false), planField("file", undefined, false)],
    category,
    folder: undefined,
    maxSize: undefined,
    types: undefined,
    image: category === "images" ? image : undefined,
    maxFiles: maxCount,
    maxBytes: maxSize,
  });
}

function planField(name: string, maxCount: number | undefined, isSingle: boolean): PlannedField {
  return { name, path: readFieldName(name), maxCount, isSingle };
}

/**
 * The place that the name of a file field describes; `photos[]` is the same field as `photos`.
 *
 * @throws {PathError}
 */
export function readFieldName(name: string): FieldPath {
  const path = splitFieldPath(name, { notation: "brackets", maxDepth: maxNameDepth });
  return path.length > 1 && path.at(-1) === "" ? path.slice(0, -1) : path;
}

/** The field of a plan for a name in a form. */
export function findField(plan: UploadPlan, name: string): PlannedField | undefined {
  const place = toJsonPointer(readFieldName(name));
  return plan.fields.find(({ path, isSingle }) => toJsonPointer(path) === place && !(isSingle && name.endsWith("[]")));
}

/**
 * The folder of a declared `uploadDir`: relative to `baseUploadDir`, or to the working directory if that is inside
 * `baseUploadDir`; an absolute path outside is used unchanged.
 */
export function toFolder(uploadDir: string, { baseUploadDir, directory }: UploadSettings): string {
  const fromDirectory = relative(baseUploadDir, resolve(directory, uploadDir));
  if (!isOutside(fromDirectory)) return fromDirectory.replaceAll("\\", "/");
  if (isAbsolute(uploadDir)) return uploadDir;
  return relative(baseUploadDir, resolve(baseUploadDir, uploadDir)).replaceAll("\\", "/");
}

/** The issue of a declaration's folder, as a sentence that starts with its key. */
export function folderIssue({ uploadDir, attachToBody }: UploadsConfig, settings: UploadSettings): string | undefined {
  if (uploadDir === undefined) return undefined;
  const issue = uploadDirIssue(uploadDir, settings);
  if (issue !== undefined) return `uploadDir ${issue}`;
  if (attachToBody !== "url" || isServedFolder(toFolder(uploadDir, settings))) return undefined;
  return `attachToBody "url" requires a public folder, and ${uploadDir} is not one. Name a folder directly in baseUploadDir, or attach "file", "pathname" or false.`;
}

function uploadDirIssue(uploadDir: string, settings: UploadSettings): string | undefined {
  const folder = toFolder(uploadDir, settings);
  if (folder === "") return "must be a folder below baseUploadDir, not baseUploadDir itself.";
  if (uploadDir.includes("\0")) return "contains a NUL character.";
  if (isAbsolute(folder)) {
    if (settings.storage.type === "s3") return "must not be an absolute path, because files are stored in a bucket.";
    return atRootIssue(folder);
  }
  return isOutside(folder) ? "leads out of baseUploadDir. Use an absolute path for that." : undefined;
}

/** A new folder at the root of the file system is never intended: `/contracts` is meant as one of baseUploadDir. */
function atRootIssue(folder: string): string | undefined {
  const { root } = parse(folder);
  const [first = ""] = folder.slice(root.length).split(/[\\/]/);
  if (existsSync(root + first)) return undefined;
  return `is an absolute path, but ${root + first} does not exist. Write ${JSON.stringify(folder.slice(root.length))} for a folder in baseUploadDir.`;
}

/** Whether the file router serves a folder: a category, or one folder directly below `baseUploadDir`. */
export function isServedFolder(folder: string): boolean {
  return (fileCategories as readonly string[]).includes(folder) || /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(folder);
}
