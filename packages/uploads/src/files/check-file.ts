import type { HttpError } from "@servicekit/core";
import { categoryOfExtension, type FileCategory } from "./file-category.js";
import { kindOf } from "./file-kinds.js";

/** How many bytes tell the kind of a file. */
export const headSize = 4100;

/** What a file is, by its name and its first bytes. */
export interface FileIdentity {
  /** Without its dot; `""` for none. */
  readonly extension: string;
  readonly mediaType: string;
  readonly category: FileCategory;
}

/** Makes a refusal of the file at hand. */
export type Refuse = (code: "UnsupportedFileType" | "FileContentMismatch", message: string) => HttpError;

/**
 * Tells what a file is and holds its content against its extension (contract C33).
 *
 * @throws {HttpError} 415 for content of another kind than the extension says
 */
export async function identifyFile(named: string, head: Buffer, refuse: Refuse): Promise<FileIdentity> {
  const found = await sniff(head);
  // A picture drawn by a script comes without an extension.
  const extension =
    named === "" && found !== undefined && categoryOfExtension(found.ext) !== "files" ? found.ext : named;
  const { content, mediaType } = kindOf(extension);
  const isRight =
    content === "any" ||
    (content === "text" && isText(head)) ||
    (content === "svg" && isText(head) && /<svg[\s>]/i.test(head.toString("latin1"))) ||
    (Array.isArray(content) && found !== undefined && content.includes(found.ext));
  if (!isRight) throw refuse("FileContentMismatch", `The content is not that of a .${extension} file.`);
  return {
    extension,
    mediaType: mediaType === "application/octet-stream" ? (found?.mime ?? mediaType) : mediaType,
    category: categoryOfExtension(extension),
  };
}

/** Whether a file of an unknown extension belongs into a category that names what its files are. */
export function fitsCategory({ mediaType }: FileIdentity, category: FileCategory): boolean {
  if (category === "images") return mediaType.startsWith("image/");
  if (category === "videos") return /^(video\/|application\/(ogg|vnd\.ms-asf)$)/.test(mediaType);
  return true;
}

/** Text has no NUL, unless it says that it is UTF-16. */
function isText(head: Buffer): boolean {
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
  return mark === 0xfeff || mark === 0xfffe || !head.includes(0);
}

async function sniff(head: Buffer): Promise<{ readonly ext: string; readonly mime: string } | undefined> {
  // With the first file, because the settings import this file at every start.
  const { fileTypeFromBuffer } = await import("file-type");
  try {
    return await fileTypeFromBuffer(head);
  } catch {
    // Bytes that the library cannot read show no kind.
    return undefined;
  }
}

/** Whether an extension and its media type are among those that are taken. */
export type FileTypes = (extension: string, mediaType: string) => boolean;

/** Reads a pattern, or a list of extensions and MIME types, of which `image/*` stands for all of one kind. */
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
