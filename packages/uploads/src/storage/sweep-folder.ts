import { randomBytes } from "node:crypto";
import { lstat, opendir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** The name of a file while it is being written. */
export function makePartName(name: string): string {
  return `.${name.slice(0, 32)}-${randomBytes(4).toString("hex")}.part`;
}

const part = /^\.[0-9a-f]{1,32}-[0-9a-f]+\.part$/;
const day = 24 * 3600 * 1000;

/** Deletes what a killed process had been writing: parts that were not written to for a day. */
export async function sweepFolder(folder: string): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (!part.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs > day) await unlink(path);
  }
}
