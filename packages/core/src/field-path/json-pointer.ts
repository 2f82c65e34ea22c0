/** The JSON Pointer (RFC 6901) of a path: `["author", "a/b"]` is `/author/a~1b`. */
export function toJsonPointer(path: readonly PropertyKey[]): string {
  return path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The path of a JSON Pointer (RFC 6901): `/author/a~1b` is `["author", "a/b"]`. */
export function fromJsonPointer(pointer: string): readonly string[] {
  const segments = pointer.split("/").slice(1);
  return pointer.includes("~") ? segments.map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~")) : segments;
}
