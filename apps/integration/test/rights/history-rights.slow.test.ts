import { describe, expect, inject, it } from "vitest";
import { makeDraw } from "../../../../scripts/test/random-draw.js";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import { sendWrites } from "./drawn-writes.js";
import { evaluateHistories } from "./evaluate-histories.js";
import { drawRecordedRights } from "./recorded-rights.js";
import { readWorkshopModels, startWorkshop } from "./workshop.js";

describe("C107 a history shows nothing of a state that a direct read of the row in this state would not show", () => {
  const counts = { cases: 0, readable: 0, shown: 0 };
  const seeds = Array.from({ length: 12 }, (_, seed) => seed);
  const chosen = oneOf(seeds);
  // The numbers of a single seed vary.
  const isComplete = chosen.length === seeds.length;
  const least = isComplete ? 5000 : 100;
  it.each(chosen)("C107 with the access rules of seed %i", { timeout: 3_600_000 }, async (seed) => {
    const rights = drawRecordedRights(seed, await readWorkshopModels());
    const workshop = await startWorkshop(inject("postgresUrl"), seed % 2 === 0 ? "static" : "dynamic", rights);
    try {
      await sendWrites(workshop, makeDraw(seed), 60);
      const { violations, cases, readable, shown } = await evaluateHistories(workshop);
      expect(violations.slice(0, 5)).toEqual([]);
      counts.cases += cases;
      counts.readable += readable;
      counts.shown += shown;
    } finally {
      await workshop.close();
    }
  });

  it(`C107 in ${least} cases, of which many are visible`, () => {
    console.log(JSON.stringify(counts));
    expect(counts.cases).toBeGreaterThanOrEqual(least);
    expect(counts.shown).toBeGreaterThan(isComplete ? counts.readable / 2 : 0);
    expect(counts.readable).toBeGreaterThan(isComplete ? counts.cases / 10 : 0);
  });
});
