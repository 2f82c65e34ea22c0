import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { parseJson } from "./parse-json.js";
import { roundedNumbers } from "./rounded-numbers.js";

it.each([
  ["digits", (count: number) => `{"a":1${"0".repeat(10 * count)}1}`],
  ["long numbers", (count: number) => `[${"1.0000000000000000001,".repeat(count)}0]`],
])("R9 a body of %s costs in proportion to its length", async (_, make) => {
  const read = (count: number) => {
    const text = make(count);
    return roundedNumbers(parseJson(Buffer.from(text), text, { strict: true, values: 1_000_000 }));
  };
  expect(await growth(read, 5_000)).toBeLessThan(inProportion);
});
