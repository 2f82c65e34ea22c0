import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareLists } from "../../../scripts/test/compare-lists.js";
import { makeRandomLists, type RandomLists } from "../../../scripts/test/random-lists.js";
import { Prisma } from "../src/generated/prisma/client.js";
import { models } from "../src/generated/service/models.js";
import { type OpenShop, shopPaths, startOpenShop } from "./open-shop.js";

/** `MODEL_DIFFERENTIAL_RUNS=20000 MODEL_DIFFERENTIAL_SEED=7` runs more, with another seed. */
const runs = Number(process.env.MODEL_DIFFERENTIAL_RUNS ?? 550);
const changes = Math.ceil(runs / 5);
const seed = Number(process.env.MODEL_DIFFERENTIAL_SEED ?? 1);

/** Of addresses. */
const computed = new Set(["formatted"]);

let shop: OpenShop;
let lists: RandomLists;
beforeAll(async () => {
  // Lists of every shape are requested, whatever their cost.
  shop = await startOpenShop({ limits: { filterCost: 1_000_000 } });
  lists = await makeRandomLists(models, shop.database, shopPaths, Prisma.AnyNull);
});
afterAll(() => shop?.close());

describe("the shop", () => {
  it(`C8 C9 C10 C18 returns for ${runs} random lists what Prisma returns: rows, order, total and every page of a cursor`, {
    timeout: 300_000 + runs * 100,
  }, async () => {
    expect(await compareLists(`${shop.url}/api`, lists.list, { seed, runs, computed })).toBeGreaterThan(runs * 0.98);
  });

  it(`C14 ${changes} bulk changes by random filters change exactly the rows that Prisma finds`, {
    timeout: 300_000 + changes * 200,
  }, async () => {
    const { database } = shop;
    const total = await database.review.count();
    expect(total).toBeLessThanOrEqual(1000);
    const marked = async () =>
      (await database.review.findMany({ where: { helpful: 7_777_777 }, orderBy: { id: "asc" } })).map(({ id }) => id);
    let rejected = 0;
    for (let one = seed; one < seed + changes; one++) {
      const { query, where, hasEmpty } = lists.filter(one, "Review");
      const about = `seed ${one}: ${decodeURIComponent(query)}`;
      const found = await database.review.findMany({ where, orderBy: { id: "asc" }, select: { id: true } });
      const { status, body } = await shop.call("PATCH", `/reviews/many?${query}`, { helpful: 7_777_777 });
      if (status === 400) {
        expect(body.code, about).toBe("MissingFilter");
        expect(hasEmpty || found.length === total, about).toBe(true);
        expect(await marked(), about).toEqual([]);
        rejected += 1;
        continue;
      }
      expect([status, body.meta?.count], about).toEqual([200, found.length]);
      expect(await marked(), about).toEqual(found.map(({ id }) => id));
      await database.$executeRaw`UPDATE reviews SET helpful = 0 WHERE helpful = 7777777`;
    }
    expect(rejected).toBeLessThan(changes / 5);
  });

  it(`C14 ${changes} bulk deletes by random filters delete exactly the rows that Prisma finds`, {
    timeout: 300_000 + changes * 200,
  }, async () => {
    const { database } = shop;
    await database.$executeRaw`CREATE TABLE kept AS SELECT * FROM reviews`;
    const ids = async () =>
      (await database.review.findMany({ orderBy: { id: "asc" }, select: { id: true } })).map(({ id }) => id);
    const all = await ids();
    for (let one = seed; one < seed + changes; one++) {
      const { query, where, hasEmpty } = lists.filter(one + 1_000_000, "Review");
      const about = `seed ${one}: ${decodeURIComponent(query)}`;
      const found = new Set((await database.review.findMany({ where, select: { id: true } })).map(({ id }) => id));
      const { status, body } = await shop.call("DELETE", `/reviews/many?${query}`);
      if (status === 400) {
        expect(body.code, about).toBe("MissingFilter");
        expect(hasEmpty || found.size === all.length, about).toBe(true);
        expect(await ids(), about).toEqual(all);
        continue;
      }
      expect([status, body.meta?.count], about).toEqual([200, found.size]);
      expect(await ids(), about).toEqual(all.filter((id) => !found.has(id)));
      await database.$executeRaw`INSERT INTO reviews SELECT * FROM kept ON CONFLICT DO NOTHING`;
    }
    await database.$executeRaw`DROP TABLE kept`;
  });
});
