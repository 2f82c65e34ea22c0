import { describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { drawn, everyOf, oneOf, slowShare } from "../../../../scripts/test/slow-share.js";
import { drawRights } from "./drawn-rights.js";
import { evaluate } from "./evaluate.js";
import { workshopModels, rights as workshopRights } from "./workshop-models.js";

// The share of about 120,000 writes and 60,000 reads of each mode.
const share = { writes: everyOf(17), reads: everyOf(17), writesInBoth: everyOf(211) };

// Each write reads and restores all rows.
const mysqlShare = { writes: everyOf(151), reads: everyOf(151), writesInBoth: everyOf(503) };

// SQLite runs every statement in this process.
const sqliteShare = { writes: everyOf(307), reads: everyOf(307), writesInBoth: everyOf(1009) };

const isComplete = slowShare >= 1;
const modes = ["static", "dynamic"] as const;
const ofMysql = providers.includes("mysql") ? (["MySQL", "MySQL with two tenants"] as const) : [];
/** Each takes long to set up: a sampled run executes one of them, in one mode or with one seed. */
const variants = oneOf(["SQLite", ...ofMysql, "two tenants", "drawn rules"] as const);
const modesOf = (variant: (typeof variants)[number]) => (variants.includes(variant) ? oneOf(modes) : []);

describe("C57 everything that can be changed or read on any path can be so directly", () => {
  let cases = 0;
  let casesWithTenants = 0;
  it.each(oneOf(modes))("C57 in %s mode", { timeout: 3_600_000 }, async (mode) => {
    const { classes, writes, accepted, reads } = await evaluate(inject("postgresUrl"), mode, share);
    expect(classes).toEqual([]);
    expect(accepted).toBeGreaterThan(isComplete ? 500 : 10);
    cases += writes + reads;
  });

  it.each(modesOf("SQLite"))("C57, C113 in %s mode on SQLite", { timeout: 3_600_000 }, async (mode) => {
    const rights = { models: workshopModels, rights: workshopRights, provider: "sqlite" } as const;
    const { classes, accepted } = await evaluate(inject("postgresUrl"), mode, sqliteShare, rights);
    expect(classes).toEqual([]);
    // A sample may contain none.
    if (isComplete) expect(accepted).toBeGreaterThan(30);
  });

  for (const hasTenants of [false, true]) {
    const variant = hasTenants ? "MySQL with two tenants" : "MySQL";
    it.each(modesOf(variant))(`C57, C100, C119 in %s mode on ${variant}`, { timeout: 3_600_000 }, async (mode) => {
      const rights = { models: workshopModels, rights: workshopRights, provider: "mysql", hasTenants } as const;
      const { classes, accepted } = await evaluate(inject("postgresUrl"), mode, mysqlShare, rights);
      expect(classes).toEqual([]);
      // A sample may contain none.
      if (isComplete) expect(accepted).toBeGreaterThan(30);
    });
  }

  it.each(modesOf("two tenants"))("C57, C100 in %s mode with two tenants", { timeout: 3_600_000 }, async (mode) => {
    const rights = { models: workshopModels, rights: workshopRights, hasTenants: true };
    const { classes, writes, accepted, reads } = await evaluate(inject("postgresUrl"), mode, share, rights);
    expect(classes).toEqual([]);
    expect(accepted).toBeGreaterThan(isComplete ? 200 : 5);
    cases += writes + reads;
    casesWithTenants += writes + reads;
  });

  it.runIf(variants.includes("two tenants"))(`C57, C100 in ${drawn(5000)} cases with two tenants`, () =>
    expect(casesWithTenants).toBeGreaterThanOrEqual(drawn(5000)),
  );

  // Each seed draws other roles, row rules, hidden fields, disabled operations and settable relations.
  const steps = [149, 151, 157, 163, 167, 173];
  it.each(variants.includes("drawn rules") ? oneOf([...steps.entries()]) : [])(
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

  const least = isComplete ? 20_000 : 1_000;
  it(`C57 in ${least} cases`, () => expect(cases).toBeGreaterThanOrEqual(least));
});
