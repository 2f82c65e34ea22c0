/**
 * A text without the characters at its end that are this one. A regular expression such as ` +$` takes time in proportion to the
 * square of the length where many of them stand before another character.
 */
export function withoutEnd(text: string, character: string): string {
  const code = character.charCodeAt(0);
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === code) end--;
  return end === text.length ? text : text.slice(0, end);
}
