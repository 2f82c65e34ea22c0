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

/** A form field that takes files. */
export interface PlannedField {
  readonly name: string;
  /** Where its value goes in the body. */
  readonly path: FieldPath;
  /** `undefined` when only the category of a file says how many there may be. */
  readonly maxCount: number | undefined;
  /** Whether it attaches one value instead of a list. */
  readonly isSingle: boolean;
}

/** What a form may bring, known at start. */
export interface UploadPlan {
  readonly fields: readonly PlannedField[];
  /** The category that every file must be of; `undefined` lets the file say it. */
  readonly category: FileCategory | undefined;
  /** Where files go; `undefined` is the folder of their category. */
  readonly folder: string | undefined;
  /** Bytes; `undefined` is the limit of the file's category. */
  readonly maxSize: number | undefined;
  /** `undefined` is what the file's category takes. */
  readonly types: FileTypes | undefined;
  readonly image: ImageChange | undefined;
  /** The most files of one form, and the most bytes that any of them may have. */
  readonly mostFiles: number;
  readonly mostBytes: number;
}

/** The plan of a route that declares uploads; the declaration has been checked. */
export function readUploadPlan(config: UploadsConfig, settings: UploadSettings): UploadPlan {
  const { type, field = "", fields = [], maxSize, maxCount, allowedFileTypes, uploadDir, image } = config;
  const planned =
    type === "fields"
      ? fields.map((entry) => planField(entry.name, entry.maxCount, entry.maxCount === 1))
      : [planField(field, type === "single" ? 1 : maxCount, type === "single")];
  const limits = Object.values(settings.restrictions);
  const mostOfCategories = limits.reduce((sum, limit) => sum + limit.maxCount, 0);
  return Object.freeze({
    fields: planned,
    category: undefined,
    folder: uploadDir === undefined ? undefined : toFolder(uploadDir, settings),
    maxSize,
    types: allowedFileTypes === undefined ? undefined : toFileTypes(allowedFileTypes),
    image,
    mostFiles: planned.reduce((sum, entry) => sum + (entry.maxCount ?? mostOfCategories), 0),
    mostBytes: maxSize ?? Math.max(...limits.map((limit) => limit.maxSize)),
  });
}

/** The plan of the upload route of a category: the field is named after it, or `file` (contract C34). */
export function planCategory(category: FileCategory, settings: UploadSettings, image?: ImageOptions): UploadPlan {
  const { maxCount, maxSize } = settings.restrictions[category];
  return Object.freeze({
    fields: [planField(category, undefined, false), planField("file", undefined, false)],
    category,
    folder: undefined,
    maxSize: undefined,
    types: undefined,
    image: category === "images" ? image : undefined,
    mostFiles: maxCount,
    mostBytes: maxSize,
  });
}

function planField(name: string, maxCount: number | undefined, isSingle: boolean): PlannedField {
  return { name, path: readFieldName(name), maxCount, isSingle };
}

/**
 * The place that the name of a file field says; `photos[]` is the same field as `photos`.
 *
 * @throws {PathError}
 */
export function readFieldName(name: string): FieldPath {
  const path = splitFieldPath(name, { notation: "brackets", maxDepth: maxNameDepth });
  return path.length > 1 && path.at(-1) === "" ? path.slice(0, -1) : path;
}

/** The field of a plan that a name in a form means. */
export function findField(plan: UploadPlan, name: string): PlannedField | undefined {
  const place = toJsonPointer(readFieldName(name));
  return plan.fields.find(({ path, isSingle }) => toJsonPointer(path) === place && !(isSingle && name.endsWith("[]")));
}

/**
 * The folder that a declared `uploadDir` means: relative to `baseUploadDir`, or to the working directory when it lies
 * in `baseUploadDir` so; an absolute path outside is taken as it is.
 */
export function toFolder(uploadDir: string, { baseUploadDir, directory }: UploadSettings): string {
  const fromDirectory = relative(baseUploadDir, resolve(directory, uploadDir));
  if (!isOutside(fromDirectory)) return fromDirectory.replaceAll("\\", "/");
  if (isAbsolute(uploadDir)) return uploadDir;
  return relative(baseUploadDir, resolve(baseUploadDir, uploadDir)).replaceAll("\\", "/");
}

/** What is wrong with where a declaration puts its files, in words that begin with its key. */
export function folderFault({ uploadDir, attachToBody }: UploadsConfig, settings: UploadSettings): string | undefined {
  if (uploadDir === undefined) return undefined;
  const fault = uploadDirFault(uploadDir, settings);
  if (fault !== undefined) return `uploadDir ${fault}`;
  if (attachToBody !== "url" || isServedFolder(toFolder(uploadDir, settings))) return undefined;
  return `attachToBody "url" needs a folder that is served, and ${uploadDir} is not: name one directly in baseUploadDir, or attach "file", "pathname" or false.`;
}

function uploadDirFault(uploadDir: string, settings: UploadSettings): string | undefined {
  const folder = toFolder(uploadDir, settings);
  if (folder === "") return "must be a folder below baseUploadDir, not baseUploadDir itself.";
  if (uploadDir.includes("\0")) return "has a NUL character.";
  if (isAbsolute(folder)) {
    if (settings.storage.type === "s3") return "must not be an absolute path: files go into a bucket.";
    return atRootFault(folder);
  }
  return isOutside(folder) ? "leads out of baseUploadDir; an absolute path may." : undefined;
}

/** A new folder at the root of the file system is never meant: `/contracts` is one of baseUploadDir, badly spelt. */
function atRootFault(folder: string): string | undefined {
  const { root } = parse(folder);
  const [first = ""] = folder.slice(root.length).split(/[\\/]/);
  if (existsSync(root + first)) return undefined;
  return `is an absolute path, and there is no ${root + first}: write ${JSON.stringify(folder.slice(root.length))} for a folder in baseUploadDir.`;
}

/** Whether the file router serves a folder: a category, or one folder directly below `baseUploadDir`. */
export function isServedFolder(folder: string): boolean {
  return (fileCategories as readonly string[]).includes(folder) || /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(folder);
}
