import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { compareRandomReads, fillShelf } from "./compare-random-reads.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await fillShelf(shelf.database);
});
afterAll(() => shelf?.close());

it("C71 reads by SQL return what Prisma returns: rows, their order, totals and the bytes of responses", async () => {
  const runs = 100;
  expect(await compareRandomReads(shelf, { seed: 1, runs })).toBeGreaterThan(runs * 0.5);
});
