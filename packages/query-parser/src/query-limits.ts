import type { HttpError } from "@servicekit/core";
import { quote, reject } from "./query-errors.js";

/** The size limits of one query (contract C20). */
export interface QueryLimits {
  /** Bytes of the query string. Above it: 414. */
  readonly urlBytes: number;
  /** Different names, those of `listParameters` not counted. */
  readonly terms: number;
  /** Nested logical groups. */
  readonly groups: number;
  /** Relations on the path to a field. */
  readonly relationHops: number;
  /** Values of one list. */
  readonly listItems: number;
  /** Keys of one `sort`. */
  readonly sortKeys: number;
  /**
   * The maximum total cost of all conditions of a filter (contract C59). It is counted where the relations are known,
   * so not by this package.
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

/** The parameters of a list that are not filters without an operator or path (contract C8). */
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
  groups: "nested logical groups",
  relationHops: "nested relations",
  listItems: "values in one list",
  sortKeys: "sort keys",
  filterCost: "units of filter cost",
};

/** Replaces missing limits by those of {@link defaultQueryLimits}. */
export function fillLimits(limits: Partial<QueryLimits> | undefined): QueryLimits {
  if (limits === undefined || limits === defaultQueryLimits) return defaultQueryLimits;
  return { ...defaultQueryLimits, ...limits };
}

/** Creates the error of a query that exceeds a limit, with the name of the limit and its maximum. */
export function overLimit(limit: keyof QueryLimits, limits: QueryLimits, parameter?: string): HttpError {
  const subject = parameter === undefined ? "The query" : `The parameter ${quote(parameter)}`;
  const message = `${subject} exceeds the limit ${limit}. Maximum: ${limits[limit]} ${units[limit]}.`;
  return reject(limit === "urlBytes" ? "UriTooLong" : "QueryLimitExceeded", parameter, message);
}

/** Rejects text of more than `urlBytes` bytes in UTF-8, without reading more of it than needed. */
export function checkUrlBytes(text: string, limits: QueryLimits): void {
  const { urlBytes } = limits;
  if (text.length * 3 <= urlBytes) return;
  if (text.length > urlBytes || new TextEncoder().encode(text).length > urlBytes) throw overLimit("urlBytes", limits);
}
