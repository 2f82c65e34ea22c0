import { quoteText } from "../models/quote-name.js";
import type { SearchedField, SearchFields, TextSearch } from "../queries/text-search.js";
import { parsedSql, withoutAccentsSql } from "./parsed-text.js";
import { queryText } from "./query-text.js";

/**
 * The minimum part of the trigrams of the words that a text must have: a single transposition in a word of four letters,
 * such as Jonh for John, leaves two of five.
 */
const minSimilarity = 0.3;

/** Longer texts are searched up to this many characters: a text vector has at most 1 MB. */
const maxCharacters = 100_000;

/** The name in a statement of a column. */
export type ColumnName = (column: string) => string;

/** Adds a value to a statement and returns its placeholder. */
export type AddParameter = (value: unknown) => string;

const textSql = ({ field }: SearchedField, column: ColumnName): string =>
  `left(coalesce(${column(field.column)}::text, ''), ${maxCharacters})`;

/** The text vector of the fields. */
export function vectorSql({ fields, language, vector }: SearchFields, column: ColumnName): string {
  if (vector !== undefined) return column(vector);
  const vectors = fields.map(
    (one) => `setweight(to_tsvector(${quoteText(language)}, ${parsedSql(textSql(one, column))}), '${one.weight}')`,
  );
  return `(${vectors.join(" || ")})`;
}

/** The indexed expressions of the fields for similar spellings, with their operator class. */
export const trigramsSql = ({ fields }: SearchFields, column: ColumnName): string =>
  fields.map((one) => `(${textSql(one, column)}) gin_trgm_ops`).join(", ");

const querySql = ({ language, text }: TextSearch, add: AddParameter): string =>
  `websearch_to_tsquery(${quoteText(language)}, ${withoutAccentsSql(`${add(queryText(text))}::text`)})`;

/** The condition of the found rows. */
export function searchSql(search: TextSearch, column: ColumnName, add: AddParameter): string {
  if (search.mode === "fullText") return `(${vectorSql(search, column)} @@ ${querySql(search, add)})`;
  const text = `${add(search.text)}::text`;
  const similar = search.fields.map((one) => `${text} <% ${textSql(one, column)}`);
  // The operator, which uses the index, compares with a setting: PostgreSQL evaluates a condition without columns before it
  // scans a table. The setting ends with the transaction of the statement.
  const setting = `set_config('pg_trgm.word_similarity_threshold', '${minSimilarity}', true)`;
  return `((SELECT ${setting}) IS NOT NULL AND (${similar.join(" OR ")}))`;
}

/** The rank of a found row; higher is better. */
export function rankSql(search: TextSearch, column: ColumnName, add: AddParameter): string {
  if (search.mode === "fullText") return `ts_rank_cd(${vectorSql(search, column)}, ${querySql(search, add)})`;
  const text = `${add(search.text)}::text`;
  return `greatest(${search.fields.map((one) => `word_similarity(${text}, ${textSql(one, column)})`).join(", ")})`;
}
