import type { PageSize } from "../config/resource-config.js";
import type { QueryIssues } from "../filter/query-issues.js";

/** The requested rows of a list. */
export interface Page {
  /** Page number, starting at 1. */
  readonly page: number;
  readonly limit: number;
}

/** The number of skipped rows has 32 bits in Prisma. */
const maxSkip = 2 ** 31 - 1;

/** Reads `page` and `limit` (contract C8); an error is added for a value out of range. */
export function readPage(
  page: string | undefined,
  limit: string | undefined,
  size: PageSize,
  issues: QueryIssues,
): Page {
  const rows = readCount("limit", limit, size.default, size.max, issues);
  return { page: readCount("page", page, 1, Math.floor(maxSkip / rows) + 1, issues), limit: rows };
}

function readCount(name: string, text: string | undefined, absent: number, max: number, issues: QueryIssues): number {
  if (text === undefined) return absent;
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  issues.add(name, "OutOfRange", `${name} must be an integer from 1 to ${max}.`);
  return absent;
}
