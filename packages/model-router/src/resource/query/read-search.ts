import { allOf, anyOf, condition, type Filter, isPlainText } from "@servicekit/prisma/internal";
import type { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";

const maxWords = 10;

/** Reads `search=words` (contract C8): each word must occur in one of the searchable fields, in any case. */
export function readSearch(text: string | undefined, resource: Resource, issues: QueryIssues): Filter | undefined {
  if (text === undefined) return undefined;
  const fields = resource.searchable;
  if (fields.length === 0) {
    issues.add("search", "InvalidValue", `${resource.model.name} has no text fields to search.`);
    return undefined;
  }
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (words.length === 0 || words.length > maxWords || !isPlainText(text)) {
    issues.add("search", "InvalidValue", `search must have 1 to ${maxWords} words.`);
    return undefined;
  }
  return allOf(words.map((word) => anyOf(fields.map((field) => condition(field, "icontains", word)))));
}
