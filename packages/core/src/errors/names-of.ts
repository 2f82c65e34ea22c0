/**
 * Returns the exports of a package that was loaded with `import()`. For a CommonJS package, Node also provides
 * `default`, which contains all exports; bundlers that split a program (esbuild with `--splitting`) provide only
 * `default`.
 *
 * @example const { createClient } = namesOf(await import("redis"));
 */
export function namesOf<T extends object>(loaded: T): T {
  const { default: everything } = loaded as { readonly default?: unknown };
  const isAlone = Object.keys(loaded).length === 1;
  return isAlone && Object.keys(Object(everything)).length > 0 ? (everything as T) : loaded;
}
