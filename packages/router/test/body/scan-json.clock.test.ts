import { describe, expect, it } from "vitest";
import { timeRatio } from "../../../../scripts/test/measure.js";
import { scanJson } from "../../src/body/scan-json.js";

const size = 1_000_000;
const fill = (part: string) => `[${part.repeat(Math.floor(size / part.length))}${part.replace(/,$/, "")}]`;
const row =
  '{"id":1234,"name":"a name of some length","price":"12.50","isOpen":true,"note":null,"at":"2026-01-01T00:00:00Z"},';

const shapes: Readonly<Record<string, string>> = {
  rows: fill(row),
  "rows, written to be read": JSON.stringify(JSON.parse(fill(row)), null, 2),
  numbers: fill("0,"),
  "numbers with all digits": fill("0.1234567890123456,"),
  "empty lists": fill("[],"),
  "empty objects": fill("{},"),
  "objects of one key": fill('{"a":1},'),
  "empty texts": fill('"",'),
  "texts of 40": fill(`"${"x".repeat(40)}",`),
  "escaped quotes": `["${'\\"'.repeat(size / 2)}"]`,
  "escaped letters": `["${"\\u0041".repeat(size / 6)}"]`,
  "other keys in each object": `[${Array.from({ length: 60_000 }, (_, at) => `{"key${at}":1}`).join()}]`,
};

describe("C59 the scan of a JSON body", () => {
  it.each(Object.entries(shapes))("costs no more than parsing it: %s", async (_what, text) => {
    const bytes = Buffer.from(text);
    const scan = () => scanJson(bytes, { depth: 32, values: Number.MAX_SAFE_INTEGER });
    // About 1 on a quiet machine; the rest is tolerance for a busy one.
    expect(await timeRatio(scan, () => JSON.parse(text), 15)).toBeLessThan(2);
  });
});
