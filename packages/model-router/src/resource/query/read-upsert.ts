import { nearestWord } from "@servicekit/core/internal";
import type { QueryTerm } from "@servicekit/query-parser";
import { readTerms } from "@servicekit/query-parser/internal";
import { QueryIssues } from "../filter/query-issues.js";
import type { SettableKey } from "../key.js";
import type { QueryContext } from "./read-list-query.js";

/** What happens to an item whose row exists: it updates the row, or it is skipped. */
export type Resolution = "merge" | "ignore";

export const resolutions: readonly Resolution[] = ["merge", "ignore"];

/** The parameters of a bulk create that may meet existing rows (contract C99). */
export interface Upsert extends SettableKey {
  readonly resolution: Resolution;
}

/** The value of `onConflict` for a key: its field names, separated by commas. */
export const conflictName = ({ names }: SettableKey): string => names.join(",");

/**
 * Reads `onConflict` and `resolution` of a bulk create.
 *
 * @param keysOf returns the keys that bodies of the caller can set
 * @returns `undefined` if the query has neither
 * @throws {HttpError} 400 that names each invalid parameter
 */
export function readUpsert(
  search: string,
  keysOf: () => readonly SettableKey[],
  { limits }: Pick<QueryContext, "limits">,
): Upsert | undefined {
  if (!/(?:^|&)(?:onConflict|resolution)\b/.test(search)) return undefined;
  const issues = new QueryIssues();
  const keys = keysOf();
  const terms = readTerms(search, { parseDoubleUnderscore: false, limits });
  let key: SettableKey | undefined;
  let resolution: Resolution | undefined = "merge";
  for (const term of terms) {
    const { name } = term;
    if (name === "onConflict") key = readConflictKey(term, keys, issues);
    else if (name === "resolution") resolution = readResolution(term, issues);
    else issues.add(name, "UnknownParameter", `Unknown parameter ${name}; expected onConflict or resolution.`);
  }
  if (!terms.some(({ name }) => name === "onConflict"))
    issues.add("onConflict", "RequiredValue", "resolution needs onConflict, the unique key that finds existing rows.");
  issues.check();
  if (key === undefined || resolution === undefined) throw issues.toError();
  return { ...key, resolution };
}

function readConflictKey(
  { name, values }: QueryTerm,
  keys: readonly SettableKey[],
  issues: QueryIssues,
): SettableKey | undefined {
  const [value = ""] = values;
  if (values.length > 1) {
    issues.add(name, "Repeated", "onConflict must appear only once. Separate the fields of a key by commas.");
    return undefined;
  }
  const wanted = value.split(",").toSorted().join();
  const found = keys.find(({ names }) => names.toSorted().join() === wanted);
  if (found !== undefined) return found;
  const known = keys.map(conflictName);
  const near = nearestWord(value, known);
  const meant = near === undefined ? `Expected one of ${known.join("; ")}.` : `Did you mean ${near}?`;
  const what = `${value === "" ? "An empty value" : value} is not a unique key that a body can set.`;
  issues.add(name, "InvalidValue", known.length === 0 ? what : `${what} ${meant}`);
  return undefined;
}

function readResolution({ name, values }: QueryTerm, issues: QueryIssues): Resolution | undefined {
  const [value = ""] = values;
  const found = resolutions.find((one) => one === value);
  if (values.length > 1) issues.add(name, "Repeated", "resolution must appear only once.");
  else if (found === undefined) issues.add(name, "InvalidValue", "Expected merge or ignore.");
  return values.length > 1 ? undefined : found;
}
