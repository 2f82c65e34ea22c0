/** Excerpts of texts with the words of a search marked. */
export interface HeadlineArgs {
  readonly language: string;
  /** The text of the search. */
  readonly text: string;
  readonly texts: readonly string[];
  /** The marks before and after a word: letters and digits. */
  readonly marks: readonly [start: string, end: string];
}

/** Excerpts are taken from the start of a text, up to this many characters. */
const maxCharacters = 20_000;

/** The excerpts of some texts, in their order. */
export function headlineSql({ language, text, texts, marks }: HeadlineArgs): {
  readonly sql: string;
  readonly values: readonly unknown[];
} {
  const [start, end] = marks;
  const options = `StartSel=${start}, StopSel=${end}, MaxFragments=2, MaxWords=24, MinWords=8, FragmentDelimiter=" … "`;
  const query = `websearch_to_tsquery($1::text::regconfig, $2::text)`;
  const sql = `SELECT ts_headline($1::text::regconfig, left(x.value, ${maxCharacters}), ${query}, $3::text) AS headline
FROM jsonb_array_elements_text($4::jsonb) WITH ORDINALITY AS x(value, n) ORDER BY x.n`;
  return { sql, values: [language, text, options, JSON.stringify(texts)] };
}
