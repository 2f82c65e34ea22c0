import type { Clause, Row } from "../queries/query-args.js";

/**
 * The condition of rows by their values of some fields: one `in` for a single field, otherwise an alternative for each
 * row. Prisma has no `in` for booleans.
 */
export function rowsWhere(names: readonly string[], rows: readonly Row[]): Clause {
  const [only] = names;
  if (only !== undefined && names.length === 1 && !rows.some((row) => typeof row[only] === "boolean")) {
    return { [only]: { in: rows.map((row) => row[only]) } };
  }
  return { OR: rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]]))) };
}
