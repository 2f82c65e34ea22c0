import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { compareRandomReads, fillShelf } from "./compare-random-reads.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await fillShelf(shelf.database);
});
afterAll(() => shelf?.close());

it("C71 reads as SQL answer as Prisma does: rows, their order, totals and the bytes of answers", async () => {
  const runs = 100;
  expect(await compareRandomReads(shelf, { seed: 1, runs })).toBeGreaterThan(runs * 0.5);
});
