/**
 * Whether a text has more characters than a column holds, as PostgreSQL counts them. It costs at most what a fitting text does:
 * a text of more than two UTF-16 units for each character is too long without being counted.
 */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}
