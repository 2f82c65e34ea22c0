import type { Bcrypt } from "./bcrypt.js";

/** What is used of `@node-rs/bcrypt`. */
interface NativeLibrary {
  hash(password: string, options: { readonly cost: number }): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
}

// @ts-expect-error Users install the package: with it in this repository, nothing here would run bcryptjs.
// A bundler leaves a package out that is not installed where the failure of its import is handled.
const importNative = (): Promise<NativeLibrary | undefined> => import("@node-rs/bcrypt").catch(() => undefined);

/**
 * The library that hashes in threads of its own, where the user has installed it.
 *
 * @param load imports the library
 * @returns `undefined` where it is not installed, or has no binary for this machine
 */
export async function loadNativeBcrypt(
  load: () => Promise<NativeLibrary | undefined> = importNative,
): Promise<Bcrypt | undefined> {
  const native = await load();
  if (native === undefined) return undefined;
  return {
    hash: (password, cost) => native.hash(password, { cost }),
    verify: (password, hash) => native.verify(password, hash),
    close: async () => undefined,
  };
}
