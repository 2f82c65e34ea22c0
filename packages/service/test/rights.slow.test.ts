import { describe, expect, inject, it } from "vitest";
import { drawn, everyOf, someOf } from "../../../scripts/test/slow-share.js";
import { drawRights } from "./rights/drawn-rights.js";
import { evaluate } from "./rights/evaluate.js";
import { workshopModels, rights as workshopRights } from "./rights/workshop-models.js";

// The share of about 120,000 writes and 60,000 reads of each mode.
const share = { writes: everyOf(17), reads: everyOf(17), writesInBoth: everyOf(211) };

describe("C57 everything that can be changed or read on any path can be so directly", () => {
  let cases = 0;
  it.each(["static", "dynamic"] as const)("C57 in %s mode", { timeout: 3_600_000 }, async (mode) => {
    const { classes, writes, accepted, reads } = await evaluate(inject("postgresUrl"), mode, share);
    expect(classes).toEqual([]);
    expect(accepted).toBeGreaterThan(drawn(500));
    cases += writes + reads;
  });

  it.each(["static", "dynamic"] as const)(
    "C57, C100 in %s mode with two tenants",
    { timeout: 3_600_000 },
    async (mode) => {
      const rights = { models: workshopModels, rights: workshopRights, hasTenants: true };
      const { classes, writes, accepted, reads } = await evaluate(inject("postgresUrl"), mode, share, rights);
      expect(classes).toEqual([]);
      expect(accepted).toBeGreaterThan(drawn(200));
      cases += writes + reads;
    },
  );

  // Each seed draws other roles, row rules, hidden fields, disabled operations and settable relations.
  const steps = [149, 151, 157, 163, 167, 173];
  it.each(someOf([...steps.entries()]))(
    "C57 with the access rules of seed %i",
    { timeout: 1_200_000 },
    async (seed, step) => {
      const mode = seed % 2 === 0 ? "static" : "dynamic";
      const inSteps = { writes: everyOf(step), reads: everyOf(step), writesInBoth: everyOf(1499) };
      const { classes, writes, reads } = await evaluate(inject("postgresUrl"), mode, inSteps, drawRights(seed));
      expect(classes).toEqual([]);
      cases += writes + reads;
    },
  );

  it(`C57 in ${drawn(20_000)} cases`, () => expect(cases).toBeGreaterThanOrEqual(drawn(20_000)));
});
