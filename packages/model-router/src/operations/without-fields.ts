import type { Row } from "../resource/values/to-json.js";

/** The rows without these fields. */
export function withoutFields(rows: readonly Row[], names: readonly string[]): readonly Row[] {
  if (names.length === 0) return rows;
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
}
