import { parseText } from "./parsed-text.js";

/** A phrase in quotes, which the end of the text may close, or a word; both with their dashes. */
const item = /(-*)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu;

/**
 * Returns the text of a search for `websearch_to_tsquery`: phrases, words, `or` and one dash before what must not occur. A word
 * of several parts, such as the name of a file, is a phrase of its parts.
 */
export function queryText(search: string): string {
  const items: string[] = [];
  for (const [, dashes = "", phrase, word] of search.matchAll(item)) {
    const content = parseText(phrase ?? word ?? "")
      .text.replaceAll(/\s+/g, " ")
      .trim();
    if (!/[^\s!-/:-@[-`{-~]/.test(content)) continue;
    const isPhrase = phrase !== undefined || content.includes(" ") || dashes !== "";
    items.push(`${dashes === "" ? "" : "-"}${isPhrase ? `"${content.replaceAll('"', " ")}"` : content}`);
  }
  return items.join(" ");
}
