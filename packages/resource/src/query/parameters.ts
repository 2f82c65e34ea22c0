import { type QueryTerm, readText } from "@servicekit/query-parser";
import type { QueryFaults } from "../filter/query-faults.js";

/** The parameters of a list that are no filters (contract C8). */
export const listParameters = ["sort", "page", "limit", "cursor", "fields", "include", "search", "count"] as const;

export type ListParameter = (typeof listParameters)[number] | "prismaQueryOptions";

/** A query taken apart: the parameters by name, and the terms that filter. */
export interface Parameters {
  readonly values: Partial<Readonly<Record<ListParameter, string>>>;
  readonly filters: readonly QueryTerm[];
}

/**
 * Takes the parameters out of the terms; a repeated one is noted. `limit__equals` filters a field named `limit`.
 *
 * @param takesOptions whether `prismaQueryOptions` is one of them (contract C22)
 */
export function splitParameters(terms: readonly QueryTerm[], faults: QueryFaults, takesOptions = false): Parameters {
  const values: Partial<Record<ListParameter, string>> = {};
  const filters: QueryTerm[] = [];
  for (const term of terms) {
    const [word] = term.segments;
    if (term.segments.length !== 1 || !isListParameter(word, takesOptions)) {
      filters.push(term);
      continue;
    }
    if (term.values.length !== 1) faults.add(term.name, "Repeated", `${word} may be given once.`);
    const [value = ""] = term.values;
    values[word] = word === "search" ? readText(value).text : value;
  }
  return { values, filters };
}

const isListParameter = (word: string | undefined, takesOptions: boolean): word is ListParameter =>
  (takesOptions && word === "prismaQueryOptions") || (listParameters as readonly (string | undefined)[]).includes(word);
