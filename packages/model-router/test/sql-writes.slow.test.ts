import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { compareRandomWrites, makeTwins, rules, type Twins } from "./compare-random-writes.js";

/** `SQL_WRITES_SEED=7` uses another seed. */
const runs = Number(process.env.SQL_WRITES_RUNS ?? drawn(5_000));
const seed = Number(process.env.SQL_WRITES_SEED ?? 1_000);

let twins: Twins;
beforeAll(async () => {
  twins = await makeTwins(inject("postgresUrl"));
});
afterAll(() => twins?.close());

it(`C71 ${2 * runs} writes by SQL return what Prisma's return, and have the same effect`, {
  timeout: 300_000 + runs * 200,
}, async () => {
  const open = { prisma: await twins.prisma.serve({}), sql: await twins.sql.serve({}) };
  await compareRandomWrites(twins, open, { seed, runs, people: [undefined] });
  const ruled = { prisma: await twins.prisma.serve(rules), sql: await twins.sql.serve(rules) };
  await compareRandomWrites(twins, ruled, { seed: seed + 1, runs, people: [["editor"], ["reader"], [], "root"] });
  expect(twins.written()).toBeGreaterThan(runs * 0.4);
});
