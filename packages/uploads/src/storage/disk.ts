import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { FileStorage, FoundFile, NewFile } from "./file-storage.js";
import { codeOf, toStorageError } from "./storage-error.js";
import { makePartName, sweepFolder } from "./sweep-folder.js";

/** Files in folders below one directory, or in folders that are absolute paths. */
export function makeDiskStorage(baseUploadDir: string): FileStorage {
  const folderOf = (folder: string): string => resolve(baseUploadDir, folder);
  const swept = new Set<string>();
  return {
    create(folder, name, { owner }) {
      const path = folderOf(folder);
      if (!swept.has(path)) {
        swept.add(path);
        sweepFolder(path).catch(() => undefined);
      }
      return createFile(path, name, owner).catch(rethrow);
    },
    find: (folder, name) => findFile(baseUploadDir, folderOf(folder), name).catch(rethrow),
    async ownerOf(folder, name) {
      try {
        const path = await plainPath(baseUploadDir, folderOf(folder), name);
        return path === undefined ? undefined : await readOwner(ownerPath(path.path));
      } catch (error) {
        if (isAbsent(error)) return undefined;
        return rethrow(error);
      }
    },
    async remove(folder, name) {
      try {
        const path = await plainPath(baseUploadDir, folderOf(folder), name);
        if (path === undefined) return false;
        await unlink(path.path);
        await rm(ownerPath(path.path), { force: true });
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        return rethrow(error);
      }
    },
  };
}

function rethrow(error: unknown): never {
  throw toStorageError(error);
}

/** A hidden file next to the file, which is never served. */
function ownerPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.owner`);
}

async function readOwner(path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function createFile(destination: string, name: string, owner: string | undefined): Promise<NewFile> {
  const path = join(destination, name);
  // In the same folder, so that the rename is atomic; hidden, so that it is never served.
  const temporary = join(destination, makePartName(name));
  const handle = await openNew(destination, temporary);
  let state: "open" | "committed" | "discarded" = "open";
  return {
    destination,
    path,
    async write(source) {
      try {
        // Acknowledged files survive a crash of the machine.
        await pipeline(source, handle.createWriteStream({ flush: true }));
      } catch (error) {
        throw toStorageError(error);
      }
    },
    async commit() {
      if (state !== "open") throw new Error("The file is no longer open.");
      try {
        // Before the file is visible, so that it never exists without its owner.
        if (owner !== undefined) await writeOwner(ownerPath(path), owner);
        await rename(temporary, path);
        await syncFolder(destination);
      } catch (error) {
        throw toStorageError(error);
      }
      state = "committed";
    },
    async discard() {
      if (state === "discarded") return;
      const left = state === "committed" ? path : temporary;
      state = "discarded";
      await handle.close().catch(() => undefined);
      await rm(left, { force: true });
      if (owner !== undefined) await rm(ownerPath(path), { force: true });
    },
  };
}

async function writeOwner(path: string, owner: string): Promise<void> {
  const handle = await open(path, "wx", 0o644);
  try {
    await handle.writeFile(owner);
  } finally {
    await sync(handle);
  }
}

/** Closes a file after its bytes are synced to disk. */
async function sync(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A folder must be synced too. Not every system supports opening a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  if (handle !== undefined) await sync(handle);
}

/** Creates a new file, and the folder if it is missing, because it may be deleted while the service runs. */
export async function openNew(folder: string, path: string, use: "w" | "r+" = "w"): Promise<FileHandle> {
  const mode = use === "w" ? constants.O_WRONLY : constants.O_RDWR;
  const flags = mode | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  try {
    return await open(path, flags, 0o644);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  await mkdir(folder, { recursive: true });
  return open(path, flags, 0o644);
}

const absent: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EISDIR"]);
const isAbsent = (error: unknown): boolean => absent.has(codeOf(error));

/** The path of a regular file inside its folder, without links out of it. */
async function plainPath(
  base: string,
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly stats: Stats } | undefined> {
  const real = await realpath(folder);
  // The base itself may be a link, as deployments use it; nothing below it may.
  const inside = relative(base, folder);
  if (!isOutside(inside) && real !== resolve(await realpath(base), inside)) return undefined;
  const path = join(real, name);
  const stats = await lstat(path);
  return stats.isFile() ? { path, stats } : undefined;
}

/** Whether a relative path leads out of its directory. */
export function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith("..\\") || isAbsolute(path);
}

async function findFile(base: string, folder: string, name: string): Promise<FoundFile | undefined> {
  try {
    const found = await plainPath(base, folder, name);
    if (found === undefined) return undefined;
    const { path, stats } = found;
    return {
      size: stats.size,
      modified: stats.mtime,
      etag: `"${stats.size.toString(36)}-${Math.floor(stats.mtimeMs).toString(36)}-${stats.ino.toString(36)}"`,
      open: (range) => openForReading(path, range),
    };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function openForReading(path: string, range: { start: number; end: number } | undefined) {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return handle.createReadStream(range);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw toStorageError(error);
  }
}
