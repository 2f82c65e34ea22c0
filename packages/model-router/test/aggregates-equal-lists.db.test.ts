import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type AggregateWorld, makeAggregateWorld } from "./aggregate-cases.js";
import { compareAggregates } from "./compare-aggregates.js";

let world: AggregateWorld;
beforeAll(async () => {
  world = await makeAggregateWorld(inject("postgresUrl"));
});
afterAll(async () => {
  expect(world?.guarded.logged).toEqual([]);
  await world?.world.close();
});

it("C98 returns what callers can compute from the rows that they can list", async () => {
  await compareAggregates(world, { runs: 100, seed: 1 });
});
