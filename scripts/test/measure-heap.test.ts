import { expect, it } from "vitest";
import { inProportion } from "./measure.js";
import { allocatedBytes, heapGrowth } from "./measure-heap.js";

const objects = (count: number): number => Array.from({ length: count }, (_, id) => ({ id })).length;

it("counts objects that are collected during the work", async () => {
  const bytes = await allocatedBytes(() => {
    for (let round = 0; round < 100; round++) objects(10_000);
  });
  // An object with one property needs at least 16 bytes.
  expect(bytes).toBeGreaterThan(16 * 1_000_000);
});

it("distinguishes linear from quadratic work", async () => {
  expect(await heapGrowth((size) => objects(size), 100_000)).toBeLessThan(inProportion);
  expect(await heapGrowth((size) => objects(size * size), 100)).toBeGreaterThan(inProportion);
});

it("returns 0 for work that allocates little", async () => {
  expect(await heapGrowth((size) => objects(size), 100)).toBe(0);
});
