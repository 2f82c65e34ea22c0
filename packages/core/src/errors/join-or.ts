/** `a`, `a or b`, `a, b or c`. */
export function joinOr(words: readonly string[]): string {
  const unique = [...new Set(words)];
  return unique.length < 2 ? (unique[0] ?? "") : `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}
