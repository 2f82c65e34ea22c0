/** What a schema of Zod 3 is called in a message, which has no `_zod` as those of Zod 4 have; `undefined` for other values. */
export function oldSchema(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || "_zod" in value || !("_def" in value)) return undefined;
  if (!("safeParse" in value) || typeof value.safeParse !== "function") return undefined;
  return 'a schema of Zod 3 (install zod@4; with zod@3.25 import from "zod/v4")';
}
