import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { makeRouteIndex } from "./route-index.js";

it("is slowed by a hostile path no more than in proportion to its length", async () => {
  const index = makeRouteIndex();
  for (let depth = 1; depth < 12; depth++) {
    index.add([`/${Array.from({ length: depth }, (_, at) => (at % 2 ? "a" : ":x")).join("/")}`], 2 * depth);
    index.add([`/${Array.from({ length: depth }, (_, at) => (at % 3 ? ":y" : "a")).join("/")}`], 2 * depth + 1);
  }
  const find = (count: number) => {
    for (let round = 0; round < 20; round++) index.candidates(`/${"a/".repeat(count)}`);
  };
  expect(await growth(find, 4_000)).toBeLessThan(inProportion);
});
