import { describe, expect, inject, it } from "vitest";
import { judge } from "./rights/judge.js";

// Every how many of about 120,000 writes and 60,000 reads of each mode: as many as an hour of patience allows.
const share = { writes: 17, reads: 17, writesInWorlds: 211 };

describe("C57 F1 F9 F39 F45 F46 F47 whatever can be changed or read by any path can be so directly", () => {
  let cases = 0;
  it.each(["static", "dynamic"] as const)("C57 in %s mode", { timeout: 3_600_000 }, async (mode) => {
    const { classes, writes, accepted, reads } = await judge(inject("postgresUrl"), mode, share);
    expect(classes).toEqual([]);
    expect(accepted).toBeGreaterThan(500);
    cases += writes + reads;
  });

  it("C57 in 20,000 cases", () => expect(cases).toBeGreaterThanOrEqual(20_000));
});
