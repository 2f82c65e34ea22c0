/**
 * Makes every character of a text stand for itself in a pattern of PostgreSQL's LIKE and ILIKE, which Prisma builds
 * from `contains`, `startsWith`, `endsWith` and the insensitive `equals` without escaping them.
 */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}
