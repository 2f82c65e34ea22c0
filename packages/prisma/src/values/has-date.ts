import type { StoredField } from "../models/model.js";
import { dateTimeText, isEndless, PreciseDate } from "./moment.js";

/** Whether the column stores a date, and compares it as a date. */
export function hasDate(field: StoredField, date: Date): boolean {
  const years = yearsOf(field);
  if (years === undefined) return true;
  if (isEndless(date) && !(date instanceof PreciseDate)) return years.isEndless;
  const year = Number(/^[+-]?\d+(?=-)/.exec(dateTimeText(date))?.[0]);
  return year >= years.min && year <= years.max;
}

const yearsOf = (field: StoredField) => (field.kind === "scalar" ? field.years : undefined);

/** The years of a column in a message; an empty text if they are unknown. */
export function yearsText(field: StoredField): string {
  const years = yearsOf(field);
  return years === undefined ? "" : ` of the years ${years.min} to ${years.max}`;
}
