import type { HttpError } from "@servicekit/core";
import { quote, refuse } from "./query-errors.js";

/** How much one query may ask for (contract C20). */
export interface QueryLimits {
  /** Bytes of the query string. Over it: 414. */
  readonly urlBytes: number;
  /** Different names, those of `listParameters` not counted. */
  readonly terms: number;
  /** Logical groups inside each other. */
  readonly groups: number;
  /** Relations on the way to a field. */
  readonly relationHops: number;
  /** Values of one list. */
  readonly listItems: number;
  /** Keys of one `sort`. */
  readonly sortKeys: number;
  /**
   * What all conditions of a filter may cost together (contract C59); counted where the relations are known, so not by
   * this package.
   */
  readonly filterCost: number;
}

/** The limits of contract C20. */
export const defaultQueryLimits: QueryLimits = Object.freeze({
  urlBytes: 8192,
  terms: 100,
  groups: 5,
  relationHops: 3,
  listItems: 500,
  sortKeys: 5,
  filterCost: 1000,
});

/** The parameters of a list that are no filters when they stand alone (contract C8). */
export const listParameters: ReadonlySet<string> = new Set([
  "sort",
  "page",
  "limit",
  "cursor",
  "fields",
  "include",
  "search",
  "count",
]);

const units: Readonly<Record<keyof QueryLimits, string>> = {
  urlBytes: "bytes of query",
  terms: "filter terms",
  groups: "logical groups inside each other",
  relationHops: "relations on the way to a field",
  listItems: "values in one list",
  sortKeys: "sort keys",
  filterCost: "units of filter cost",
};

/** Fills the limits that are not given with {@link defaultQueryLimits}. */
export function fillLimits(limits: Partial<QueryLimits> | undefined): QueryLimits {
  if (limits === undefined || limits === defaultQueryLimits) return defaultQueryLimits;
  return { ...defaultQueryLimits, ...limits };
}

/** The error of a query that goes over a limit: names the limit and what would fit. */
export function overLimit(limit: keyof QueryLimits, limits: QueryLimits, parameter?: string): HttpError {
  const who = parameter === undefined ? "The query" : `The parameter ${quote(parameter)}`;
  const message = `${who} goes over the limit ${limit}: at most ${limits[limit]} ${units[limit]} fit.`;
  return refuse(limit === "urlBytes" ? "UriTooLong" : "QueryLimitExceeded", parameter, message);
}

/** Refuses text of more than `urlBytes` bytes in UTF-8, without reading more of it than needed. */
export function checkUrlBytes(text: string, limits: QueryLimits): void {
  const { urlBytes } = limits;
  if (text.length * 3 <= urlBytes) return;
  if (text.length > urlBytes || new TextEncoder().encode(text).length > urlBytes) throw overLimit("urlBytes", limits);
}
