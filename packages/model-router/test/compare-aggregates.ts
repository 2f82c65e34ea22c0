import fc from "fast-check";
import { expect } from "vitest";
import { type AggregateWorld, anyCase, differenceOf, seedAggregates } from "./aggregate-cases.js";

/** The number of aggregates of the same rows. */
const perWorld = 50;

/** Compares random aggregates of random rows with the same computed from lists. */
export async function compareAggregates(world: AggregateWorld, { runs, seed }: { runs: number; seed: number }) {
  for (let done = 0; done < runs; done += perWorld) {
    await seedAggregates(world, seed + done);
    await fc.assert(
      fc.asyncProperty(anyCase, async (one) => {
        expect(await differenceOf(one, world)).toBeUndefined();
      }),
      { numRuns: Math.min(perWorld, runs - done), seed: seed + done, endOnFailure: true },
    );
  }
}
