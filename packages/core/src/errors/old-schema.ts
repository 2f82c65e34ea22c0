/** How a message names a schema of Zod 3, which has no `_zod`, unlike those of Zod 4; `undefined` for other values. */
export function oldSchema(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || "_zod" in value || !("_def" in value)) return undefined;
  if (!("safeParse" in value) || typeof value.safeParse !== "function") return undefined;
  return 'a schema of Zod 3 (install zod@4; with zod@3.25 import from "zod/v4")';
}
