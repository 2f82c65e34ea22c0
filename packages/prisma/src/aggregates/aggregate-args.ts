import type { Filter } from "../filter/filter.js";
import type { StoredField } from "../models/model.js";
import type { Clause } from "../queries/query-args.js";
import type { TextSearch } from "../queries/text-search.js";
import type { Measure } from "./measure.js";

/** The periods that dates are grouped by. */
export const dateParts = ["day", "week", "month", "quarter", "year"] as const;

/** Such as `month`. */
export type DatePart = (typeof dateParts)[number];

/** A relation to one row on the path to the field of a group. */
export interface GroupStep {
  /** The name of the relation. */
  readonly relation: string;
  /** The related rows that count; others are like a missing row. `undefined` for all. */
  readonly where: Clause | undefined;
}

/** A value that rows are grouped by. */
export interface Group {
  /** As in the response: `status`, `createdAt:month`, `category.name`. */
  readonly name: string;
  readonly path: readonly GroupStep[];
  readonly of: StoredField;
  readonly part: DatePart | undefined;
  /** The value as a field. */
  readonly field: StoredField;
}

/** One key of the order of groups. */
export interface GroupOrder {
  readonly field: StoredField;
  readonly direction: "asc" | "desc";
  /** The place of NULL; `undefined` for that of the database. */
  readonly nulls?: "first" | "last" | undefined;
}

/** The arguments of an aggregate. */
export interface AggregateArgs {
  readonly where?: Clause;
  /** Only rows that this finds. */
  readonly search?: TextSearch | undefined;
  /** Without any, all rows are one group. */
  readonly groups: readonly Group[];
  /** The computed measures: those of the response, and those of conditions and the order. */
  readonly measures: readonly Measure[];
  /** The names of the measures of the response. */
  readonly shown: ReadonlySet<string>;
  /** A condition on measures. */
  readonly having?: Filter | undefined;
  /** Fields of groups and measures. */
  readonly orderBy: readonly GroupOrder[];
  /** The IANA name of the time zone of periods. */
  readonly timeZone: string;
  readonly take: number;
  readonly skip: number;
}
