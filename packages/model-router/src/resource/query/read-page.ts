import type { QueryFaults } from "../filter/query-faults.js";
import type { PageSize } from "../resource-config.js";

/** Which rows of a list are wanted. */
export interface Page {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** The database counts rows to skip in 32 bits, as Prisma sends them. */
const maxSkip = 2 ** 31 - 1;

/** Reads `page` and `limit` (contract C8); a value outside the range is noted. */
export function readPage(
  page: string | undefined,
  limit: string | undefined,
  size: PageSize,
  faults: QueryFaults,
): Page {
  const rows = readCount("limit", limit, size.default, size.max, faults);
  return { page: readCount("page", page, 1, Math.floor(maxSkip / rows) + 1, faults), limit: rows };
}

function readCount(name: string, text: string | undefined, absent: number, max: number, faults: QueryFaults): number {
  if (text === undefined) return absent;
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  faults.add(name, "OutOfRange", `${name} takes a whole number from 1 to ${max}.`);
  return absent;
}
