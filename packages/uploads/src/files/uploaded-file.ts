// For its global types of request.file and request.files, which users of multer know.
/// <reference types="multer" preserve="true" />

import type { FileCategory } from "./file-category.js";

/** What an answer says of a stored file (contract C34). */
export interface FileData {
  /** The name that it is stored under. */
  readonly name: string;
  /** The name that the client gave it, cleaned: text to show, never a path. */
  readonly originalName: string;
  readonly category: FileCategory;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /**
   * Where the file router serves it; for a folder that it does not serve, the folder and the name, and for one outside of
   * `baseUploadDir` the name alone.
   */
  readonly pathname: string;
  /** The pathname, with the public address of the service in front where it is served. */
  readonly url: string;
}

declare global {
  namespace Express {
    namespace Multer {
      /** The file that `experimental.uploads` hands to handlers: its data beside what multer says of a file. */
      interface File extends FileDataOfUploads {}
    }
  }
}

/** {@link FileData} on `request.file`: absent on files that plain multer received. */
interface FileDataOfUploads extends FileData {}

/** A stored file as handlers get it. `path` and `destination` are left out of JSON: an answer must not tell them. */
export type UploadedFile = Omit<Express.Multer.File, "stream" | "buffer">;

/** What a stored file is made from. */
export interface StoredFile extends FileData {
  readonly field: string;
  readonly encoding: string;
  /** The folder in the storage; an absolute path on disk. */
  readonly destination: string;
  readonly path: string;
}

/** The file that handlers get. */
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

/** The data of a stored file, without anything of the server's. */
export function toFileData(file: FileData): FileData {
  const { name, originalName, category, mimeType, size, pathname, url } = file;
  return { name, originalName, category, mimeType, size, pathname, url };
}
