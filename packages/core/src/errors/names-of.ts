/**
 * Gives the names of a package that was loaded with `import()`. Of one in CommonJS Node gives its names beside `default`, which
 * is all of it, and bundlers that split a program (esbuild with `--splitting`) give `default` alone.
 *
 * @example const { createClient } = namesOf(await import("redis"));
 */
export function namesOf<T extends object>(loaded: T): T {
  const { default: whole } = loaded as { readonly default?: unknown };
  const isAlone = Object.keys(loaded).length === 1;
  return isAlone && Object.keys(Object(whole)).length > 0 ? (whole as T) : loaded;
}
