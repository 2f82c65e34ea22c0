import type { Bcrypt } from "./bcrypt.js";

/** The library that hashes in threads of its own; `undefined` where it is not installed. */
export async function loadNativeBcrypt(): Promise<Bcrypt | undefined> {
  // Absent, or without a binary for this machine: the worker threads do the same, only slower.
  const native = await import("@node-rs/bcrypt").catch(() => undefined);
  if (native === undefined) return undefined;
  return {
    hash: (password, cost) => native.hash(password, { cost }),
    verify: (password, hash) => native.verify(password, hash),
    close: async () => undefined,
  };
}
