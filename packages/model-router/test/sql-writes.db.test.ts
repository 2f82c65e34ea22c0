import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { compareRandomWrites, makeTwins, rules, type Twins } from "./compare-random-writes.js";

let twins: Twins;
beforeAll(async () => {
  twins = await makeTwins(inject("postgresUrl"));
});
afterAll(() => twins?.close());

it("C71 writes by SQL return what Prisma's return, and have the same effect", async () => {
  const runs = 60;
  const services = { prisma: await twins.prisma.serve({}), sql: await twins.sql.serve({}) };
  const statuses = await compareRandomWrites(twins, services, { seed: 1, runs, people: [undefined] });
  expect(twins.written()).toBeGreaterThan(runs * 0.25);
  for (const status of [200, 201, 204, 400, 404, 409, 412]) expect([...statuses.keys()]).toContain(status);
});

it("C71 writes by SQL apply row rules, roles and field rules as Prisma's do", async () => {
  const runs = 110;
  const services = { prisma: await twins.prisma.serve(rules), sql: await twins.sql.serve(rules) };
  const people = [["editor"], ["reader"], [], "root"] as const;
  const before = twins.written();
  const statuses = await compareRandomWrites(twins, services, { seed: 2, runs, people });
  expect(twins.written() - before).toBeGreaterThan(runs * 0.1);
  for (const status of [200, 201, 204, 400, 403, 404, 409]) expect([...statuses.keys()]).toContain(status);
});
