/**
 * Operands of `contains`, `startsWith` and `endsWith` for SQLite, whose `LIKE` in Prisma's statements has no escape
 * character and ignores the case of ASCII letters. A prefix marks the meaning of the operand; `makeSqliteAdapter`
 * reads it and changes the statement. An escaped pattern (`\%`, `\_`, `\\`) never begins with one of them.
 */
const prefixes = { exact: "\\c", insensitive: "\\i", equal: "\\e" } as const;

/**
 * The comparison of a pattern: case-sensitive, case-insensitive for ASCII letters, or case-insensitive with the whole
 * text.
 */
export type PatternKind = keyof typeof prefixes;

/** Marks a pattern of `LIKE` with `\` as its escape character. */
export const markPattern = (kind: PatternKind, pattern: string): string => prefixes[kind] + pattern;

/** Reads a marked pattern; `undefined` for the operand of another query. */
export function readPattern(operand: unknown): { readonly kind: PatternKind; readonly pattern: string } | undefined {
  if (typeof operand !== "string" || !operand.startsWith("\\")) return undefined;
  for (const [kind, prefix] of Object.entries(prefixes) as readonly (readonly [PatternKind, string])[]) {
    if (operand.startsWith(prefix)) return { kind, pattern: operand.slice(prefix.length) };
  }
  return undefined;
}
