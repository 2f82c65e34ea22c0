import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { type AggregateWorld, makeAggregateWorld } from "./aggregate-cases.js";
import { compareAggregates } from "./compare-aggregates.js";

/** `AGGREGATES_SEED=7` uses another seed. */
const runs = Number(process.env.AGGREGATES_RUNS ?? drawn(5_000));
const seed = Number(process.env.AGGREGATES_SEED ?? 1_000);

let world: AggregateWorld;
beforeAll(async () => {
  world = await makeAggregateWorld(inject("postgresUrl"));
});
afterAll(async () => {
  expect(world?.guarded.logged).toEqual([]);
  await world?.world.close();
});

it(`C98 ${runs} aggregates equal those of the listed rows`, { timeout: 300_000 + runs * 100 }, async () => {
  await compareAggregates(world, { runs, seed });
});
