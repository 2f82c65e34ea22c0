import type { Readable } from "node:stream";

/** A file that is being stored: it is invisible until it is committed. */
export interface NewFile {
  /** The folder and the path of the file in the storage. */
  readonly destination: string;
  readonly path: string;
  /** Writes the complete stream; the stream is destroyed on failure. */
  write(source: Readable): Promise<void>;
  /** Makes the file visible. */
  commit(): Promise<void>;
  /** Cleans up, whatever has happened before; may be called at any time and repeatedly. */
  discard(): Promise<void>;
}

/** A part of a file, from its first to its last byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A stored file. */
export interface FoundFile {
  readonly size: number;
  readonly modified: Date;
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** `undefined` if it was deleted meanwhile. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/** The metadata of a file. */
export interface FileInfo {
  readonly mediaType: string;
  /** The identity of the uploader (`identityOf`); `undefined` for an anonymous upload. */
  readonly owner: string | undefined;
}

/** The storage of files (contract C36). Names and folders have been validated by the caller. */
export interface FileStorage {
  /** Starts to store a file. */
  create(folder: string, name: string, facts: FileInfo): Promise<NewFile>;
  /** Returns a stored file; `undefined` if there is none. */
  find(folder: string, name: string): Promise<FoundFile | undefined>;
  /** The uploader of a file; `undefined` for a missing file, and if it is unknown. */
  ownerOf(folder: string, name: string): Promise<string | undefined>;
  /** Whether the file existed. */
  remove(folder: string, name: string): Promise<boolean>;
}
