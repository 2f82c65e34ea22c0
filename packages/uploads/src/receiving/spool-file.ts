import { randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { openNew } from "../storage/disk.js";
import { toStorageError } from "../storage/storage-error.js";
import { makePartName } from "../storage/sweep-folder.js";

/** Bytes that wait on disk. */
export interface SpooledFile {
  write(source: Readable): Promise<void>;
  read(): Promise<Buffer>;
  /** Frees the room; must always be called. */
  close(): Promise<void>;
}

/** Creates an unnamed file, which disappears with its process: memory must not grow with waiting uploads (C35). */
export async function spoolFile(directory: string): Promise<SpooledFile> {
  const path = join(directory, makePartName(randomBytes(16).toString("hex")));
  try {
    const handle = await openNew(directory, path, "r+");
    await unlink(path);
    return {
      async write(source) {
        try {
          // A stream over the handle would close it.
          for await (const chunk of source) await handle.writeFile(chunk as Buffer);
        } catch (error) {
          throw toStorageError(error);
        }
      },
      async read() {
        const bytes = Buffer.allocUnsafe((await handle.stat()).size);
        for (let at = 0, last = 1; last > 0 && at < bytes.length; at += last) {
          last = (await handle.read(bytes, at, bytes.length - at, at)).bytesRead;
        }
        return bytes;
      },
      close: () => handle.close(),
    };
  } catch (error) {
    throw toStorageError(error);
  }
}
