import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { z } from "zod";
import { compareRandomWrites, makeTwins, rules, type Twins } from "./compare-random-writes.js";

import { shelfModels } from "./shelf.js";

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

/** Of every column whose values do not depend on the time or on chance. */
const computed = Object.fromEntries(
  [...shelfModels.values()].map(({ name, fields }) => {
    const needs = fields.flatMap((field) => {
      if (field.kind !== "scalar" && field.kind !== "enum") return [];
      const isMade = field.default !== undefined && "function" in field.default;
      return isMade || field.isUpdatedAt || field.isForeignKey ? [] : [field.name];
    });
    const compute = (row: object) =>
      Object.entries(row).map(([key, value]) => `${key} ${(value as object)?.constructor.name} ${asText(value)}`);
    return [name, { computed: { digest: { type: z.array(z.string()), needs, compute } } }];
  }),
);

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? `${inner}n` : inner));

it("C102 writes by SQL compute fields from the same values as Prisma's", async () => {
  const runs = 60;
  const services = {
    prisma: await twins.prisma.serve({ models: computed }),
    sql: await twins.sql.serve({ models: computed }),
  };
  const before = twins.written();
  const statuses = await compareRandomWrites(twins, services, { seed: 3, runs, people: [undefined] });
  expect(twins.written() - before).toBeGreaterThan(runs * 0.25);
  for (const status of [200, 201]) expect([...statuses.keys()]).toContain(status);
});
