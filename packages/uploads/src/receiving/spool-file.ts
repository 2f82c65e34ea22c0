import { randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { openNew } from "../storage/disk.js";
import { toStorageFault } from "../storage/storage-fault.js";
import { makePartName } from "../storage/sweep-folder.js";

/** Bytes that wait on disk for their turn. */
export interface SpooledFile {
  write(source: Readable): Promise<void>;
  read(): Promise<Buffer>;
  /** Gives the room back; to be called in any case. */
  close(): Promise<void>;
}

/** Makes a file without a name, which is gone with its process too: memory must not grow with what waits (C35). */
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
          throw toStorageFault(error);
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
    throw toStorageFault(error);
  }
}
