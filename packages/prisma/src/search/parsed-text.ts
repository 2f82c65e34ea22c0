/*
 * The words of a text. PostgreSQL's parser takes addresses, paths, names of files and versions for one word, so it receives texts
 * in which `-`, `.`, `/`, `_`, `:`, `@` and the changes between letters and digits are blanks. Letters have no accents.
 *
 * It also reads a run of characters without white space, such as `x1@x1@`, again from each of its words, in case that an address
 * or a path begins there, and what follows the start of a comment to the end of the text. Its work is quadratic, so it receives
 * short runs, and no comments.
 */

/** Longer runs are separated into parts of this many characters. */
const maxRun = 100;

const comment = "<!--";
const letter = "[^0-9[:space:][:punct:]]";
const boundary = `([0-9])(?=${letter})|(${letter})(?=[0-9])`;
const character = "[^ \\t\\n\\r\\f\\v]";

/** Letters that have no decomposition, and their replacements. */
const plainLetters = new Map(
  ["øo", "ØO", "łl", "ŁL", "đd", "ĐD", "ðd", "ÐD", "ħh", "ĦH", "ıi", "ŧt", "ŦT"].map((pair) => [pair[0], pair[1]]),
);
const letterPairs = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["Æ", "AE"],
  ["œ", "oe"],
  ["Œ", "OE"],
  ["þ", "th"],
  ["Þ", "TH"],
]);

/** The SQL of a text without accents. The Cyrillic й remains: it is a letter of its own, which the stemming of Russian needs. */
export function withoutAccentsSql(text: string): string {
  const marks = `regexp_replace(normalize(${text}, NFD) COLLATE "C", '([^\\u0418\\u0438])[\\u0300-\\u036f]+', '\\1', 'g')`;
  const letters = `translate(normalize(${marks}, NFC), '${[...plainLetters.keys()].join("")}', '${[...plainLetters.values()].join("")}')`;
  return [...letterPairs].reduce((sql, [pair, letters]) => `replace(${sql}, '${pair}', '${letters}')`, letters);
}

/** The SQL of a text for the parser. The collation is set because some support no regular expressions. */
export function parsedSql(text: string): string {
  const withoutComments = `replace(${text} COLLATE "C", '${comment}', ' ')`;
  // Closing tags remain tags.
  const words = `regexp_replace(${withoutComments}, '[-._:@]|(?<!<)/', ' ', 'g')`;
  const parts = `regexp_replace(${words}, '${boundary}', '\\1\\2 ', 'g')`;
  const runs = `regexp_replace(${parts}, '(${character}{${maxRun}})(?=${character})', '\\1 ', 'g')`;
  return withoutAccentsSql(runs);
}

/** A text for the parser, and where its characters are in the original one. */
export interface ParsedText {
  readonly text: string;
  /** The index in the original text of each UTF-16 code unit, and of the end. */
  readonly origins: readonly number[];
}

/** Returns the text of {@link parsedSql}. */
export function parseText(original: string): ParsedText {
  let text = "";
  const origins: number[] = [];
  let run = 0;
  let kind: Kind = "other";
  const add = (part: string, at: number): void => {
    text += part;
    for (let index = 0; index < part.length; index++) origins.push(at);
    run = /[ \t\n\r\f\v]$/.test(part) ? 0 : run + 1;
  };
  for (let at = 0; at < original.length; ) {
    const one = String.fromCodePoint(original.codePointAt(at) ?? 0);
    const next = kindOf(one);
    if (original.startsWith(comment, at)) {
      add(" ", at);
      at += comment.length;
      kind = "other";
      continue;
    }
    const isSeparator = /[-._:@]/.test(one) || (one === "/" && original[at - 1] !== "<");
    if (next !== kind && next !== "other" && kind !== "other") add(" ", at);
    else if (run === maxRun && !isSeparator && !/\s/.test(one)) add(" ", at);
    const part = isSeparator ? " " : withoutAccents(one, original[at - 1]);
    if (part !== "") add(part, at);
    kind = next;
    at += one.length;
  }
  origins.push(original.length);
  return { text, origins };
}

type Kind = "letter" | "digit" | "other";

function kindOf(one: string): Kind {
  if (/[0-9]/.test(one)) return "digit";
  return /[\s!-/:-@[-`{-~]/.test(one) ? "other" : "letter";
}

function withoutAccents(one: string, previous: string | undefined): string {
  if (one <= "\u007f") return one;
  if (/^[\u0300-\u036f]$/.test(one)) return previous !== undefined && /[Ии]/.test(previous) ? one : "";
  const replacement = plainLetters.get(one) ?? letterPairs.get(one);
  if (replacement !== undefined) return replacement;
  const marks = /([^Ии])[\u0300-\u036f]+/g;
  return one.normalize("NFD").replace(marks, "$1").normalize("NFC");
}
