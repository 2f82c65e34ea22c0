import type { Readable } from "node:stream";

/** A file that is being stored: no one sees it until it is committed. */
export interface NewFile {
  /** The folder that it goes into and the path that it will have, as the storage names them. */
  readonly destination: string;
  readonly path: string;
  /** Writes the whole stream; the stream is destroyed when that fails. */
  write(source: Readable): Promise<void>;
  /** Makes the file seen. */
  commit(): Promise<void>;
  /** Leaves nothing behind, whatever has happened before; may be called at any time and again. */
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
  /** `undefined` when it has gone since. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/** What is remembered of a file beside its bytes. */
export interface FileFacts {
  readonly mediaType: string;
  /** The identity of the caller who sent it (`identityOf`); `undefined` for an anonymous upload. */
  readonly owner: string | undefined;
}

/** Where files are kept (contract C36). Names and folders have been checked by the caller. */
export interface FileStorage {
  /** Starts to store a file. */
  create(folder: string, name: string, facts: FileFacts): Promise<NewFile>;
  /** Returns a stored file; `undefined` if there is none. */
  find(folder: string, name: string): Promise<FoundFile | undefined>;
  /** Who sent a file; `undefined` for one that is not there, and for one of which it is not known. */
  ownerOf(folder: string, name: string): Promise<string | undefined>;
  /** Whether there was such a file. */
  remove(folder: string, name: string): Promise<boolean>;
}
