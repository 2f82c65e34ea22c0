import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { compareRandomReads, fillShelf } from "./compare-random-reads.js";
import { type Shelf, startShelf } from "./shelf.js";

/** `SQL_READS_SEED=7` uses another seed. */
const runs = Number(process.env.SQL_READS_RUNS ?? drawn(20_000));
const seed = Number(process.env.SQL_READS_SEED ?? 1_000);

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await fillShelf(shelf.database);
});
afterAll(() => shelf?.close());

it(`C71 ${runs} reads by SQL return what Prisma returns`, { timeout: 300_000 + runs * 100 }, async () => {
  expect(await compareRandomReads(shelf, { seed, runs })).toBeGreaterThan(runs * 0.5);
});
