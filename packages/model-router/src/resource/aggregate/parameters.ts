import { aggregateFunctions } from "@servicekit/prisma/internal";

/** The parameters of an aggregate that are not filters. */
export const aggregateParameters = [
  "groupBy",
  "count",
  ...aggregateFunctions,
  "having",
  "sort",
  "page",
  "limit",
  "timeZone",
  "search",
] as const;

export type AggregateParameter = (typeof aggregateParameters)[number];

/** The names that `readTree` does not read as filters. */
export const aggregateParameterNames: ReadonlySet<string> = new Set(aggregateParameters);

/** The default and the maximum number of groups in a response. */
export const groupLimit = Object.freeze({ default: 100, max: 1000 });
