// For its global types of request.file and request.files, which users of multer know.
/// <reference types="multer" preserve="true" />

import type { FileCategory } from "./file-category.js";

/** The representation of a stored file (contract C34). */
export interface FileData {
  /** The name under which it is stored. */
  readonly name: string;
  /** The client's name, sanitized: text to show, never a path. */
  readonly originalName: string;
  readonly category: FileCategory;
  readonly mimeType: string;
  /** Size in bytes. */
  readonly size: number;
  /**
   * The path in the file router; for a folder that is not served, the folder and the name, and for one outside
   * `baseUploadDir` only the name.
   */
  readonly pathname: string;
  /** The pathname, prefixed by the public URL of the service if it is served. */
  readonly url: string;
}

declare global {
  namespace Express {
    namespace Multer {
      /** The file that `experimental.uploads` passes to handlers: its data and multer's properties. */
      interface File extends FileDataOfUploads {}
    }
  }
}

/** {@link FileData} on `request.file`: absent on files received by plain multer. */
interface FileDataOfUploads extends FileData {}

/**
 * A stored file for handlers. `path` and `destination` are excluded from JSON, because a response must not contain
 * them.
 */
export type UploadedFile = Omit<Express.Multer.File, "stream" | "buffer">;

/** The input of a stored file. */
export interface StoredFile extends FileData {
  readonly field: string;
  readonly encoding: string;
  /** The folder in the storage; an absolute path on disk. */
  readonly destination: string;
  readonly path: string;
}

/** The file for handlers. */
export function toUploadedFile({ field, encoding, destination, path, ...data }: StoredFile): Express.Multer.File {
  const file = {
    fieldname: field,
    originalname: data.originalName,
    encoding,
    mimetype: data.mimeType,
    filename: data.name,
    ...data,
  };
  Object.defineProperties(file, { destination: { value: destination }, path: { value: path } });
  return file as unknown as Express.Multer.File;
}

/** The data of a stored file, without paths of the server. */
export function toFileData(file: FileData): FileData {
  const { name, originalName, category, mimeType, size, pathname, url } = file;
  return { name, originalName, category, mimeType, size, pathname, url };
}
