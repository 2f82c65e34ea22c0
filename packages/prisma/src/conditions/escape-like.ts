/**
 * Escapes the wildcards of PostgreSQL's LIKE and ILIKE, which Prisma uses for `contains`, `startsWith`, `endsWith` and
 * the insensitive `equals` without escaping them.
 */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}
