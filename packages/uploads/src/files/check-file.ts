import type { HttpError } from "@servicekit/core";
import { categoryOfExtension, type FileCategory } from "./file-category.js";
import { kindOf } from "./file-kinds.js";

/** The number of bytes that identify the type of a file. */
export const headSize = 4100;

/** The type of a file, by its name and its first bytes. */
export interface FileIdentity {
  /** Without its dot; `""` for none. */
  readonly extension: string;
  readonly mediaType: string;
  readonly category: FileCategory;
}

/** Creates an error about the file. */
export type MakeFileError = (code: "UnsupportedFileType" | "FileContentMismatch", message: string) => HttpError;

/**
 * Detects the type of a file and compares its content with its extension (contract C33).
 *
 * @throws {HttpError} 415 for content of another type than the extension
 */
export async function identifyFile(named: string, head: Buffer, makeError: MakeFileError): Promise<FileIdentity> {
  const found = await sniff(head);
  // An image created by a script has no extension.
  const extension =
    named === "" && found !== undefined && categoryOfExtension(found.ext) !== "files" ? found.ext : named;
  const { content, mediaType } = kindOf(extension);
  const isRight =
    content === "any" ||
    (content === "text" && isText(head)) ||
    (content === "svg" && isText(head) && /<svg[\s>]/i.test(head.toString("latin1"))) ||
    (Array.isArray(content) && found !== undefined && content.includes(found.ext));
  if (!isRight) throw makeError("FileContentMismatch", `The content is not that of a .${extension} file.`);
  return {
    extension,
    mediaType: mediaType === "application/octet-stream" ? (found?.mime ?? mediaType) : mediaType,
    category: categoryOfExtension(extension),
  };
}

/** Whether a file of an unknown extension fits a category of known types. */
export function fitsCategory({ mediaType }: FileIdentity, category: FileCategory): boolean {
  if (category === "images") return mediaType.startsWith("image/");
  if (category === "videos") return /^(video\/|application\/(ogg|vnd\.ms-asf)$)/.test(mediaType);
  return true;
}

/** Text contains no NUL, unless it is marked as UTF-16. */
function isText(head: Buffer): boolean {
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
  return mark === 0xfeff || mark === 0xfffe || !head.includes(0);
}

async function sniff(head: Buffer): Promise<{ readonly ext: string; readonly mime: string } | undefined> {
  // Loaded with the first file, because the settings import this file at every start.
  const { fileTypeFromBuffer } = await import("file-type");
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    // Bytes that the library does not recognize have no type.
    return undefined;
  }
}

/** Whether an extension and its media type are accepted. */
export type FileTypes = (extension: string, mediaType: string) => boolean;

/** Reads a pattern, or a list of extensions and MIME types, in which `image/*` matches all images. */
export function toFileTypes(allowed: readonly string[] | RegExp): FileTypes {
  if (allowed instanceof RegExp) {
    const pattern = new RegExp(allowed.source, allowed.flags.replace(/[gy]/g, ""));
    return (extension, mediaType) =>
      pattern.test(extension) || (extension !== "" && pattern.test(`.${extension}`)) || pattern.test(mediaType);
  }
  const known = new Set(allowed.map((type) => type.trim().toLowerCase().replace(/^\./, "")));
  return (extension, mediaType) =>
    known.has(extension) || known.has(mediaType) || known.has(mediaType.replace(/\/.*/, "/*"));
}
