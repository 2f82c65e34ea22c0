/** The words with which examples and templates mark a placeholder. */
const words =
  /changeme|change|replace|placeholder|passwords?|secrets?|private|signing|access|tokens?|default|examples?|sample|random|strings?|insecure|unsafe|secure|strong|super|testing|test|development|dev|production|prod|local|please|characters?|chars?|bits?|bytes?|minimum|least|long|auth|keys?|jwt|your|this|that|here|with|must|some|very|only|not|use|for|and|the|my|me|it|is|in|to|be|at|of|an|a|qwerty|abc(?:def(?:ghi)?)?|x+|0?123456789?0?|(?<!\d)\d{1,4}(?!\d)|[\s._\-:!?<>[\](){}'"]/g;

/** A text of fewer distinct characters was typed, not generated. */
const fewestCharacters = 6;

/** Whether a text is a placeholder for a secret: `changeme`, `your-256-bit-secret`, `aaaaaaaa`. */
export function isPlaceholder(secret: string): boolean {
  return new Set(secret).size < fewestCharacters || secret.toLowerCase().replace(words, "") === "";
}
