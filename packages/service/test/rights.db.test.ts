import { expect, inject, it } from "vitest";
import { judge } from "./rights/judge.js";

// The whole of it is in rights.proof.test.ts; each step is prime, so that every kind of case has its turn.
const share = { writes: 1201, reads: 1201, writesInWorlds: 4001 };

it("C57 F1 F9 F39 F45 F46 F47 whatever can be changed or read by any path can be so directly: a slice", {
  timeout: 300_000,
}, async () => {
  const { classes, writes, accepted, reads } = await judge(inject("postgresUrl"), "static", share);
  expect(classes).toEqual([]);
  expect(writes + reads).toBeGreaterThan(120);
  expect(accepted).toBeGreaterThan(5);
});
