import { describe, expect, inject, it } from "vitest";
import { makeDraw } from "../../../../scripts/test/random-draw.js";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import { evaluateStreams } from "./evaluate-streams.js";
import { drawStreamedRights } from "./streamed-rights.js";
import { readWorkshopModels, startWorkshop } from "./workshop.js";

describe("C111 an event shows nothing that the caller's list would not contain", () => {
  const counts = { cases: 0, readable: 0, events: 0, streams: 0, exact: 0 };
  const seeds = Array.from({ length: 12 }, (_, seed) => seed);
  const chosen = oneOf(seeds);
  // The numbers of a single seed vary.
  const isComplete = chosen.length === seeds.length;
  const least = isComplete ? 5000 : 100;
  it.each(chosen)("C111 with the access rules of seed %i", { timeout: 3_600_000 }, async (seed) => {
    const rights = drawStreamedRights(seed, await readWorkshopModels());
    const mode = seed % 2 === 0 ? "static" : "dynamic";
    const workshop = await startWorkshop(inject("postgresUrl"), mode, rights.rights);
    try {
      const { violations, ...found } = await evaluateStreams(workshop, rights, makeDraw(seed));
      expect(violations.slice(0, 5)).toEqual([]);
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += found[name];
    } finally {
      await workshop.close();
    }
  });

  it(`C111 in ${least} cases, of which many are visible`, () => {
    console.log(JSON.stringify(counts));
    expect(counts.cases).toBeGreaterThanOrEqual(least);
    expect(counts.readable).toBeGreaterThan(isComplete ? counts.cases / 10 : 0);
    expect(counts.events).toBeGreaterThan(isComplete ? counts.readable / 10 : 0);
    expect(counts.exact).toBeGreaterThan(isComplete ? counts.streams / 4 : 0);
  });
});
