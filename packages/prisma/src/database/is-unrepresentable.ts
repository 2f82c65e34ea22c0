import { isPlainObject } from "@servicekit/core/internal";
import { isShortNumber } from "../values/exact-float.js";
import { PreciseDate } from "../values/moment.js";

/** Whether a clause has a value that Prisma's arguments cannot represent. */
export function isUnrepresentable(clause: unknown): boolean {
  if (clause instanceof Date) return clause instanceof PreciseDate || isFar(clause);
  if (clause === "NaN" || clause === "Infinity" || clause === "-Infinity") return true;
  if (typeof clause === "number") return !Number.isFinite(clause);
  if (Array.isArray(clause)) return clause.some(isUnrepresentable);
  return isPlainObject(clause) && Object.values(clause).some(isUnrepresentable);
}

/** Whether a filter has a value that Prisma's arguments cannot represent, or a number that Prisma rounds in filters. */
export const isUnrepresentableFilter = (where: unknown): boolean => isUnrepresentable(where) || hasLongNumber(where);

function hasLongNumber(clause: unknown): boolean {
  if (typeof clause === "number") return !isShortNumber(clause);
  if (Array.isArray(clause)) return clause.some(hasLongNumber);
  return isPlainObject(clause) && Object.values(clause).some(hasLongNumber);
}

/** A year that Prisma's adapter writes differently, or the end of a day as a time. */
function isFar(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year < 1 || year > 9999 || date.getTime() === 86_400_000;
}
