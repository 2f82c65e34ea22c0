/** The words that examples and templates put where a secret should stand. */
const words =
  /changeme|change|replace|placeholder|passwords?|secrets?|private|signing|access|tokens?|default|examples?|sample|random|strings?|insecure|unsafe|secure|strong|super|testing|test|development|dev|production|prod|local|please|characters?|chars?|bits?|bytes?|minimum|least|long|auth|keys?|jwt|your|this|that|here|with|must|some|very|only|not|use|for|and|the|my|me|it|is|in|to|be|at|of|an|a|qwerty|abc(?:def(?:ghi)?)?|x+|0?123456789?0?|(?<!\d)\d{1,4}(?!\d)|[\s._\-:!?<>[\](){}'"]/g;

/** A text of fewer different characters was typed, not made. */
const fewestCharacters = 6;

/** Whether a text only stands where a secret should: `changeme`, `your-256-bit-secret`, `aaaaaaaa`. */
export function isPlaceholder(secret: string): boolean {
  return new Set(secret).size < fewestCharacters || secret.toLowerCase().replace(words, "") === "";
}
