import { describe, expect, inject, it } from "vitest";
import { drawn, everyOf, someOf } from "../../../scripts/test/proof-share.js";
import { drawRights } from "./rights/drawn-rights.js";
import { judge } from "./rights/judge.js";

// Every how many of about 120,000 writes and 60,000 reads of each mode: as many as an hour of patience allows.
const share = { writes: everyOf(17), reads: everyOf(17), writesInWorlds: everyOf(211) };

describe("C57 F1 F9 F39 F45 F46 F47 whatever can be changed or read by any path can be so directly", () => {
  let cases = 0;
  it.each(["static", "dynamic"] as const)("C57 in %s mode", { timeout: 3_600_000 }, async (mode) => {
    const { classes, writes, accepted, reads } = await judge(inject("postgresUrl"), mode, share);
    expect(classes).toEqual([]);
    expect(accepted).toBeGreaterThan(drawn(500));
    cases += writes + reads;
  });

  // Each seed draws other roles, row rules, hidden fields, closed operations and opened relations.
  const steps = [149, 151, 157, 163, 167, 173];
  it.each(someOf([...steps.entries()]))(
    "C57 with the rights of seed %i",
    { timeout: 1_200_000 },
    async (seed, step) => {
      const mode = seed % 2 === 0 ? "static" : "dynamic";
      const inSteps = { writes: everyOf(step), reads: everyOf(step), writesInWorlds: everyOf(1499) };
      const { classes, writes, reads } = await judge(inject("postgresUrl"), mode, inSteps, drawRights(seed));
      expect(classes).toEqual([]);
      cases += writes + reads;
    },
  );

  it(`C57 in ${drawn(20_000)} cases`, () => expect(cases).toBeGreaterThanOrEqual(drawn(20_000)));
});
