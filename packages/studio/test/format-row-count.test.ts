import { expect, it } from "vitest";
import { formatRowCount, formatRowTotal, formatTotal } from "../app/src/ui/format-row-count.js";

it("C76 a number of rows is grouped, and one row is singular", () => {
  expect([0, 1, 2, 12_345].map(formatRowCount)).toEqual(["0 rows", "1 row", "2 rows", "12,345 rows"]);
});

it("C125 an estimated total is approximate, and a limited one is a minimum", () => {
  const totals = [{ total: 12_345 }, { total: 12_345, estimated: true }, { total: 10_000, limited: true }, {}] as const;
  expect(totals.map(formatTotal)).toEqual(["12,345", "about 12,345", "10,000+", "0"]);
  expect(totals.map(formatRowTotal)).toEqual(["12,345 rows", "about 12,345 rows", "10,000+ rows", "0 rows"]);
  expect(formatRowTotal({ total: 1, estimated: true })).toBe("about 1 row");
});
