import { encodeRuns, makeTagMark, tagSql } from "./headline-tags.js";
import { parsedSql } from "./parsed-text.js";

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

/** The excerpts of some texts, in their order; their tags are encoded. */
export function headlineSql({ language, text, texts, marks }: HeadlineArgs): {
  readonly sql: string;
  readonly values: readonly unknown[];
} {
  const [start, end] = marks.word;
  const options = `StartSel=${start}, StopSel=${end}, MaxFragments=2, MaxWords=24, MinWords=8, FragmentDelimiter=" … "`;
  const query = `websearch_to_tsquery($1::text::regconfig, ${parsedSql("$2::text")})`;
  const sql = `SELECT ts_headline($1::text::regconfig, ${tagSql("x.value", "$5::text")}, ${query}, $3::text) AS headline
FROM jsonb_array_elements_text($4::jsonb) WITH ORDINALITY AS x(value, n) ORDER BY x.n`;
  const starts = texts.map((one) => encodeRuns(startOf(one), marks.tag));
  return { sql, values: [language, text, options, JSON.stringify(starts), marks.tag] };
}

/** The start of a text, without a half of a surrogate pair at its end. */
const startOf = (text: string): string => text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
