/**
 * Whether a text has more characters than a column allows, as PostgreSQL counts them. It costs at most what a fitting
 * text does: a text of more than two UTF-16 units per character is too long without counting.
 */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}
