import type { SummaryQuestion } from "../api/shop.js";
import { type Clause, readClauses, toWhere } from "./filter.js";

/** The state of a summary in the URL. */
export interface SummarySearch {
  readonly search?: string | undefined;
  readonly where?: readonly Clause[] | undefined;
  /** Summarises deleted rows in place of the others. */
  readonly deleted?: "only" | undefined;
  /** Such as `status`, `placedAt:month` or `customer.name`. */
  readonly groupBy?: readonly string[] | undefined;
  /** Such as `count` or `sum.total`; the count if absent. */
  readonly measures?: readonly string[] | undefined;
  /** A group or a measure, with `-` before it for descending order. */
  readonly sort?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly page?: number | undefined;
}

/** The maximum number of values that rows are grouped by. */
export const maxGroups = 2;
/** The maximum number of measures. */
export const maxMeasures = 10;

/** The functions of measures, with the words before the name of their field. */
export const measureWords = {
  sum: "Sum of",
  avg: "Average of",
  min: "Minimum of",
  max: "Maximum of",
  countDistinct: "Different values of",
} as const;
export type MeasureFunction = keyof typeof measureWords;
export const measureFunctions = Object.keys(measureWords) as readonly MeasureFunction[];

/** A measure as its function and its field; `undefined` for `count` and for anything else. */
export function splitMeasure(name: string): readonly [word: MeasureFunction, field: string] | undefined {
  const dot = name.indexOf(".");
  const word = measureFunctions.find((each) => each === name.slice(0, dot));
  return dot < 0 || word === undefined ? undefined : [word, name.slice(dot + 1)];
}

/** `placedAt:month` as the path and the period. */
export function splitGroup(name: string): readonly [path: string, period: string | undefined] {
  const [path = "", period] = name.split(":");
  return [path, period];
}

const toText = (given: unknown): string | undefined =>
  typeof given === "string" && given !== "" ? given : typeof given === "number" ? String(given) : undefined;

function toNames(given: unknown, max: number, isName: (name: string) => boolean): readonly string[] | undefined {
  const names = Array.isArray(given) ? given.filter((one) => typeof one === "string" && isName(one)) : [];
  return names.length === 0 ? undefined : [...new Set<string>(names)].slice(0, max);
}

/** The summary in a URL; everything else in it is ignored. */
export function readSummary(given: Record<string, unknown>): SummarySearch {
  const where = readClauses(given.where);
  const page = Number(given.page);
  // Omitted values come from the URL, even invalid ones: `undefined` overrides them.
  return {
    search: toText(given.search),
    where: where.length === 0 ? undefined : where,
    deleted: given.deleted === "only" ? "only" : undefined,
    groupBy: toNames(given.groupBy, maxGroups, (name) => name !== ""),
    measures: toNames(given.measures, maxMeasures, (name) => name === "count" || splitMeasure(name) !== undefined),
    sort: toText(given.sort),
    timeZone: toText(given.timeZone),
    page: Number.isSafeInteger(page) && page > 1 ? page : undefined,
  };
}

/** A changed summary, from its first page, without a sort order and a time zone that no longer apply. */
export function changeSummary(before: SummarySearch, change: SummarySearch): SummarySearch {
  const { sort, timeZone, ...next } = { ...before, page: undefined, ...change };
  const { groupBy = [], measures = ["count"] } = next;
  const isSorted = sort !== undefined && [...groupBy, ...measures].includes(sort.replace(/^-/, ""));
  const hasPeriod = groupBy.some((name) => splitGroup(name)[1] !== undefined);
  const given = Object.entries({ ...next, ...(isSorted ? { sort } : {}), ...(hasPeriod ? { timeZone } : {}) });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && String(value) !== ""));
}

/** The question for one page of groups. */
export function toQuestion(
  { search, where: clauses = [], deleted, groupBy = [], measures = ["count"], sort, timeZone, page = 1 }: SummarySearch,
  limit: number,
): SummaryQuestion {
  const where = toWhere(clauses);
  const fieldsOf = (word: MeasureFunction): readonly string[] =>
    measures.flatMap((name) => {
      const [its, field] = splitMeasure(name) ?? [];
      return its === word && field !== undefined ? [field] : [];
    });
  const used = measureFunctions.map((word) => [word, fieldsOf(word)] as const);
  return {
    ...(groupBy.length === 0 ? {} : { groupBy }),
    ...(measures.includes("count") ? { count: true } : {}),
    ...Object.fromEntries(used.filter(([, fields]) => fields.length > 0)),
    ...(sort === undefined ? {} : { sort: [sort] }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(where === undefined ? {} : { where }),
    ...(search === undefined ? {} : { search }),
    ...(deleted === undefined ? {} : { deleted }),
    limit,
    ...(page === 1 ? {} : { page }),
  };
}
