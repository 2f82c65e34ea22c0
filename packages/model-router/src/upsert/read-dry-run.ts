import type { QueryLimits } from "@servicekit/query-parser";
import { readTerms } from "@servicekit/query-parser/internal";
import { QueryIssues } from "../resource/filter/query-issues.js";

/** The parameter `dryRun`, and the rest of the query. */
export interface DryRunQuery {
  /** `undefined` without the parameter. */
  readonly isDryRun: boolean | undefined;
  readonly rest: string;
}

const parameter = /^dryRun(?:=|$)/;

/**
 * Reads the parameter `dryRun` of a bulk create.
 *
 * @throws {HttpError} 400 unless it is true or false
 */
export function readDryRun(search: string, limits: QueryLimits): DryRunQuery {
  const parts = search.split("&");
  const own = parts.filter((part) => parameter.test(part));
  if (own.length === 0) return { isDryRun: undefined, rest: search };
  const values = readTerms(own.join("&"), { parseDoubleUnderscore: false, limits }).flatMap((term) => term.values);
  const [value = ""] = values;
  const issues = new QueryIssues();
  if (values.length > 1) issues.add("dryRun", "Repeated", "dryRun must appear only once.");
  else if (value !== "true" && value !== "false") issues.add("dryRun", "InvalidValue", "Expected true or false.");
  issues.check();
  return { isDryRun: value === "true", rest: parts.filter((part) => !parameter.test(part)).join("&") };
}
