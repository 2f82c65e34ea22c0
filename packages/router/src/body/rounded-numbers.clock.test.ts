import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { checkJsonBytes, checkJsonValue } from "./check-json.js";
import { roundedNumbers } from "./rounded-numbers.js";

it.each([
  ["digits", (count: number) => `{"a":1${"0".repeat(10 * count)}1}`],
  ["long numbers", (count: number) => `[${"1.0000000000000000001,".repeat(count)}0]`],
])("the cost of a body of %s is proportional to its length", async (_, make) => {
  const read = (count: number) => {
    const text = make(count);
    const bytes = Buffer.from(text);
    const value: unknown = JSON.parse(text);
    checkJsonValue(value, bytes, checkJsonBytes(bytes, 1_000_000), true);
    return roundedNumbers(value);
  };
  expect(await growth(read, 5_000)).toBeLessThan(inProportion);
});
