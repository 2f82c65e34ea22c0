/** A value as the client meant it: `quoted` text is never read as a number, a boolean, null or a list. */
export interface ReadText {
  readonly text: string;
  readonly quoted: boolean;
}

const quoteMark = 34;
const backslash = 92;

/**
 * Removes the double quotes around a value; `\"` and `\\` are a quote and a backslash inside them (contract C19). A
 * quote that is not closed by the last character is ordinary text.
 */
export function readText(raw: string): ReadText {
  if (raw.charCodeAt(0) !== quoteMark) return { text: raw, quoted: false };
  const end = findClosingQuote(raw, 0);
  return end === raw.length - 1
    ? { text: unescapeQuoted(raw.slice(1, end)), quoted: true }
    : { text: raw, quoted: false };
}

/** The position at which the quote that opens at `start` closes, or -1. */
export function findClosingQuote(raw: string, start: number): number {
  for (let at = start + 1; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code === quoteMark) return at;
    if (code === backslash && isEscapable(raw.charCodeAt(at + 1))) at++;
  }
  return -1;
}

const isEscapable = (code: number): boolean => code === quoteMark || code === backslash;

/** Removes the backslashes inside a quoted value. */
export function unescapeQuoted(inside: string): string {
  return inside.includes("\\") ? inside.replace(/\\(["\\])/g, "$1") : inside;
}
