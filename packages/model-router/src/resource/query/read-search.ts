import { allOf, anyOf, condition, type Filter, isPlainText, type TextSearch } from "@servicekit/prisma/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";

const maxWords = 10;
/** PostgreSQL rejects words of more than 2046 bytes, and a character has up to 4. */
const maxCharacters = 500;

/** The rows that a search finds: by a filter, or by an index. */
export interface Search {
  readonly filter?: Filter;
  readonly search?: TextSearch;
}

/**
 * Reads `search=words` (contract C8): each word must occur in one of the searchable fields, in any case. With `search` in the
 * model's configuration PostgreSQL reads the text (C103).
 *
 * @param isRanked whether the best rows come first
 */
export function readSearch(
  text: string | undefined,
  resource: Resource,
  issues: QueryIssues,
  isRanked = false,
): Search {
  if (text === undefined) return {};
  const { searchable: fields, search } = resource;
  if (fields.length === 0) {
    issues.add("search", "InvalidValue", `${resource.model.name} has no text fields to search.`);
    return {};
  }
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const tooMuch = search === undefined ? words.length > maxWords : text.length > maxCharacters;
  if (!isPlainText(text)) {
    issues.add("search", "InvalidValue", "search must not contain NUL or half of a surrogate pair.");
    return {};
  }
  if (words.length === 0 || tooMuch) {
    const most = search === undefined ? `${maxWords} words` : `${maxCharacters} characters`;
    issues.add("search", "InvalidValue", `search must have 1 to ${most}.`);
    return {};
  }
  if (search !== undefined) return { search: { ...search, text, isRanked } };
  return { filter: allOf(words.map((word) => anyOf(fields.map((field) => condition(field, "icontains", word))))) };
}
