import { readTree } from "./filter/condition-tree.js";
import { toFilter } from "./filter/to-filter.js";
import { fillOptions, type QueryParserOptions } from "./options.js";
import type { ParsedQuery } from "./parsed-query.js";
import { type QueryInput, readTerms } from "./terms/read-terms.js";
import type { ExpectedValue } from "./values/expected-value.js";

/**
 * Parses a query into a plain object in the shape of an ORM filter (specification, "queryParser object" and
 * "Double-underscore rules"; contract C9, C18 to C20). It has no knowledge of models: values are read by their looks,
 * unless `expected` gives the type at their place (contract C63).
 *
 * @example
 * parseQuery("age__gte=5&author__name__icontains=ann&sort=-createdAt");
 * // { age: { gte: 5 }, author: { name: { contains: "ann", mode: "insensitive" } }, sort: "-createdAt" }
 * @throws {HttpError} 400 or 414 with a code of `queryErrors`, naming the parameter
 */
export function parseQuery(input: QueryInput, options?: QueryParserOptions, expected?: ExpectedValue): ParsedQuery {
  const settings = fillOptions(options);
  return toFilter(readTree(readTerms(input, settings), settings), settings, expected);
}
