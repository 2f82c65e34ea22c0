import { decodeTags, makeTagMark, tagSql } from "./headline-tags.js";
import { parseText, withoutAccentsSql } from "./parsed-text.js";
import { queryText } from "./query-text.js";

/** Excerpts of texts with the words of a search marked. */
export interface HeadlineArgs {
  readonly language: string;
  /** The text of the search. */
  readonly text: string;
  readonly texts: readonly string[];
  readonly marks: HeadlineMarks;
}

/** Unpredictable texts, so that no text contains them. */
export interface HeadlineMarks {
  /** Before and after a word: letters and digits. */
  readonly word: readonly [start: string, end: string];
  /** Before an encoded tag: see {@link decodeTags}. */
  readonly tag: string;
}

/** Creates the marks of one statement, from hexadecimal digits that are different for each mark. */
export function makeHeadlineMarks(random: () => string): HeadlineMarks {
  return { word: [`x${random()}x`, `x${random()}x`], tag: makeTagMark(random()) };
}

/** Excerpts are taken from the start of a text, up to this many UTF-16 code units. */
const maxLength = 20_000;

/** Between the fragments of an excerpt. */
const delimiter = " … ";

/** The excerpts of some texts, in their order: those of the text for the parser, with encoded tags. */
export function headlineSql({ language, text, texts, marks }: HeadlineArgs): {
  readonly sql: string;
  readonly values: readonly unknown[];
} {
  const [start, end] = marks.word;
  const options = `StartSel=${start}, StopSel=${end}, MaxFragments=2, MaxWords=24, MinWords=8, FragmentDelimiter="${delimiter}"`;
  const query = `websearch_to_tsquery($1::text::regconfig, ${withoutAccentsSql("$2::text")})`;
  const sql = `SELECT ts_headline($1::text::regconfig, ${tagSql("x.value", "$5::text")}, ${query}, $3::text) AS headline
FROM jsonb_array_elements_text($4::jsonb) WITH ORDINALITY AS x(value, n) ORDER BY x.n`;
  const starts = texts.map((one) => parseText(startOf(one)).text);
  return { sql, values: [language, queryText(text), options, JSON.stringify(starts), marks.tag] };
}

/** The start of a text, without a half of a surrogate pair at its end. */
const startOf = (text: string): string => text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");

/** Returns an excerpt in the letters of its original text, with the marks of words. */
export function originalExcerpt(excerpt: string, original: string, { word: [start, end], tag }: HeadlineMarks): string {
  const parsed = parseText(startOf(original));
  let at = 0;
  /** Long tags are shortened, so a fragment may consist of parts of the text. */
  const restorePart = (part: string): string => {
    const pieces = part.split(start).flatMap((piece, index) => [...(index === 0 ? [] : [start]), piece]);
    const texts = pieces.flatMap((piece) =>
      piece.split(end).flatMap((text, index) => [...(index === 0 ? [] : [end]), text]),
    );
    const isText = (text: string): boolean => text !== start && text !== end;
    const from = parsed.text.indexOf(texts.filter(isText).join(""), at);
    if (from === -1) return part;
    at = from;
    return texts
      .map((text) => {
        if (!isText(text)) return text;
        const first = parsed.origins[at];
        at += text.length;
        return original.slice(first, parsed.origins[at]);
      })
      .join("");
  };
  return decodeTags(excerpt, tag)
    .split(delimiter)
    .map((fragment) => fragment.split("…").map(restorePart).join("…"))
    .join(delimiter);
}
