import { readTerms, readTree } from "@servicekit/query-parser/internal";
import { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";
import { joinedNames } from "./joined-names.js";
import { readParameters } from "./parameters.js";
import type { QueryContext } from "./read-list-query.js";
import { type Page, readPage } from "./read-page.js";

/** The parameters of the history of a row. */
const historyParameters: ReadonlySet<string> = new Set(["page", "limit"]);

/**
 * Reads the query of a history.
 *
 * @throws {HttpError} 400 that names every wrong parameter
 */
export function readHistoryQuery(
  search: string,
  { page }: Resource,
  { limits, resources, parseDoubleUnderscore }: Pick<QueryContext, "limits" | "resources" | "parseDoubleUnderscore">,
): Page {
  const issues = new QueryIssues();
  const terms = readTerms(search, { parseDoubleUnderscore, limits, joinedNames: joinedNames(resources) });
  const known = terms.filter(({ name, segments: [first = "", ...others] }) => {
    const isKnown = others.length === 0 && historyParameters.has(first);
    if (!isKnown) issues.add(name, "UnknownParameter", `Unknown parameter ${name}; expected page or limit.`);
    return isKnown;
  });
  const tree = readTree(known, { limits, parameters: historyParameters });
  const values = readParameters<"page" | "limit">(tree.parameters, issues);
  const read = readPage(values.page, values.limit, page, issues);
  issues.check();
  return read;
}
