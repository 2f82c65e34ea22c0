import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import { compareRandomReads, fillShelf } from "./compare-random-reads.js";
import { makeWorld } from "./guarded.js";
import { type Shelf, startShelf } from "./shelf.js";
import { computedFields, reads, seedWorld } from "./two-databases.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await fillShelf(shelf.database);
});
afterAll(() => shelf?.close());

it("C71 reads by SQL return what Prisma returns: rows, their order, totals and the bytes of responses", async () => {
  const runs = 100;
  expect(await compareRandomReads(shelf, { seed: 1, runs })).toBeGreaterThan(runs * 0.5);
});

it("C102 reads by SQL return the computed fields that Prisma's do", async () => {
  const url = inject("postgresUrl");
  const worlds = await Promise.all([
    makeWorld(url, () => ({ executor: prismaExecutor })),
    makeWorld(url, (client, models) => {
      const adapter = adapterOf(client);
      const bySql = sqlExecutor({ client, link: adapter.link, models, schema: "public" });
      return { executor: splitExecutor({ reads: [bySql, prismaExecutor], writes: [prismaExecutor] }) };
    }),
  ]);
  try {
    const models = Object.fromEntries(Object.entries(computedFields).map(([name, computed]) => [name, { computed }]));
    const services = [];
    for (const world of worlds) {
      await seedWorld(world, { secret: "s", score: "1.5", subtitle: "'a'", writer: "", share: "60", outside: [] });
      await world.sql(`UPDATE "Book" SET "createdAt" = '2001-01-01', "updatedAt" = '2001-01-01'`);
      services.push(await world.serve({ models }));
    }
    let shown = 0;
    for (const { method, path } of [
      ...fc.sample(reads, { numRuns: 300, seed: 1 }),
      { method: "GET", path: "/books?include=publisher,authorships.writer,sequel.cover" },
      { method: "GET", path: "/covers?include=book.authorships.writer&fields=id" },
      { method: "GET", path: "/writers/1" },
      { method: "GET", path: "/publishers/1?include=books" },
    ]) {
      const [one, two] = await Promise.all(services.map((service) => service.call(method, path)));
      expect(two, path).toEqual(one);
      if (one?.status === 200 && /"(heading|review|initial|sign)":/.test(one.text)) shown++;
    }
    expect(shown).toBeGreaterThan(50);
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
  }
});
