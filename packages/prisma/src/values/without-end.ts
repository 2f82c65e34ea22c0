/**
 * A text without this trailing character. A regular expression such as ` +$` takes time proportional to the square of
 * the length if many of them precede another character.
 */
export function withoutEnd(text: string, character: string): string {
  const code = character.charCodeAt(0);
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === code) end--;
  return end === text.length ? text : text.slice(0, end);
}
