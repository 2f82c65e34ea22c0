/** The JSON Pointer (RFC 6901) of a path: `["author", "a/b"]` is `/author/a~1b`. */
export function toJsonPointer(path: readonly PropertyKey[]): string {
  return path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
