import type { FileStorage } from "./file-storage.js";

/** Runs one act of a storage with something around it; what it gives back is the outcome. */
export type AroundStorage = <Result>(act: StorageAct, run: () => Promise<Result>) => Promise<Result>;

/** What is done with a storage. */
export type StorageAct = "create" | "write" | "commit" | "discard" | "find" | "open" | "ownerOf" | "remove";

/** Puts something around everything that a storage does, such as a span of a trace. */
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
