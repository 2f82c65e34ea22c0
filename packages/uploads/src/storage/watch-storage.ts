import type { FileStorage } from "./file-storage.js";

/** Runs one storage operation inside a wrapper; returns its result. */
export type AroundStorage = <Result>(act: StorageOperation, run: () => Promise<Result>) => Promise<Result>;

/** The operations of a storage. */
export type StorageOperation = "create" | "write" | "commit" | "discard" | "find" | "open" | "ownerOf" | "remove";

/** Wraps every operation of a storage, for example in a span. */
export function watchStorage(storage: FileStorage, around: AroundStorage): FileStorage {
  return {
    create: async (...args) => {
      const file = await around("create", () => storage.create(...args));
      return {
        destination: file.destination,
        path: file.path,
        write: (source) => around("write", () => file.write(source)),
        commit: () => around("commit", () => file.commit()),
        discard: () => around("discard", () => file.discard()),
      };
    },
    find: async (...args) => {
      const file = await around("find", () => storage.find(...args));
      return file && { ...file, open: (range) => around("open", () => file.open(range)) };
    },
    ownerOf: (...args) => around("ownerOf", () => storage.ownerOf(...args)),
    remove: (...args) => around("remove", () => storage.remove(...args)),
  };
}
