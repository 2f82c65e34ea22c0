import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { entriesSql, type LargeWorld, openLarge, sensorsSql } from "./large-world.js";
import type { Served } from "./serve-models.js";

const rows = 12_000;
let world: LargeWorld;
let served: Served;
beforeAll(async () => {
  world = await openLarge(inject("postgresUrl"));
  await world.sql(sensorsSql);
  await world.sql(entriesSql(rows));
  await world.sql('ANALYZE "Entry"');
  served = await world.serve();
});
afterAll(() => world?.close());

const metaOf = async (path: string, of = served) => {
  const { status, body } = await of.call("GET", path);
  expect([path, status, body.errors]).toEqual([path, 200, undefined]);
  return body.meta;
};
const linkOf = async (path: string) => (await served.call("GET", path)).headers.get("link") ?? "";

describe("C125 counts", () => {
  it("are exact by default, and estimated, limited or left out by the parameter", async () => {
    const exact = { total: rows, count: 20, limit: 20, page: 1, pages: 600 };
    for (const query of ["", "?count=true", "?count=exact"]) expect(await metaOf(`/entries${query}`)).toEqual(exact);
    const estimated = await metaOf("/entries?count=estimated");
    expect(estimated).toEqual({ total: expect.any(Number), estimated: true, count: 20, limit: 20, page: 1 });
    expect(Math.abs(estimated.total - rows)).toBeLessThan(rows / 10);
    const filtered = await metaOf("/entries?count=estimated&kind=rare&sensor__name=Sensor%201");
    expect(filtered.estimated).toBe(true);
    expect(await metaOf("/entries?count=limited")).toEqual({
      ...{ total: 10_000, limited: true, count: 20, limit: 20, page: 1 },
    });
    expect(await metaOf("/entries?count=limited&kind=rare")).toEqual({ ...exact, total: 3_000, pages: 150 });
    expect(await metaOf("/entries?count=false")).toEqual({ count: 20, limit: 20, page: 1 });
    const { status, body } = await served.call("GET", "/entries?count=some");
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          in: "query",
          path: "/count",
          code: "InvalidValue",
          message: "count must be one of true, false, exact, estimated, limited.",
        },
      ],
    ]);
  });

  it("are exact where the page contains the last row, and never less than the rows of the page", async () => {
    const last = { total: rows, count: 20, limit: 50, page: 240, pages: 240 };
    await world.sql(`DELETE FROM "Entry" WHERE id > ${rows - 30}`);
    for (const count of ["estimated", "limited"])
      expect(await metaOf(`/entries?limit=50&page=240&count=${count}`)).toEqual({ ...last, total: rows - 30 });
    expect(await metaOf("/entries?limit=50&page=239&count=limited")).toMatchObject({ total: 11_950, limited: true });
    expect(await metaOf("/entries?limit=50&page=999&count=limited")).toMatchObject({ total: 49_900, limited: true });
    // After the statistics the number of rows has grown.
    await world.sql(`INSERT INTO "Entry" (kind, weight, "sensorId") SELECT 'new', 1, 1 FROM generate_series(1, 300)`);
    const fresh = await metaOf("/entries?limit=100&page=2&kind=new&count=estimated");
    expect(fresh).toMatchObject({ estimated: true, count: 100 });
    expect(fresh.total).toBeGreaterThanOrEqual(200);
    await world.sql(`DELETE FROM "Entry"`);
    await world.sql(entriesSql(rows));
  });

  it("are those of the model's configuration, which the parameter overrides", async () => {
    const other = await world.serve({ models: { Entry: { count: "estimated" }, Sensor: { count: "limited" } } });
    expect((await metaOf("/entries", other)).estimated).toBe(true);
    expect((await metaOf("/entries?count=true", other)).estimated).toBe(true);
    expect(await metaOf("/entries?count=exact", other)).toMatchObject({ total: rows, pages: 600 });
    expect(await metaOf("/sensors", other)).toMatchObject({ total: 10, pages: 1 });
  });

  it("are limited where row rules apply, because statistics are those of all rows", async () => {
    const other = await world.serve({
      models: { Sensor: { auth: { where: () => ({ id: 1 }) } }, Entry: { softDelete: true, count: "estimated" } },
    });
    expect(await metaOf("/entries", other)).toMatchObject({ total: 10_000, limited: true });
    const some = await world.serve({
      allowDangerousOrmQueryOptions: true,
      models: { Sensor: { auth: { where: () => ({ id: 1 }) } }, Entry: { count: "estimated" } },
    });
    expect(await metaOf("/entries", some)).toMatchObject({ estimated: true });
    expect(await metaOf("/entries?sensor__name=Sensor%201", some)).toMatchObject({ total: 1_200 });
    expect((await metaOf("/entries?sensor__name=Sensor%201", some)).estimated).toBeUndefined();
    const escaped = encodeURIComponent(String.raw`{"where":{"sen\u0073or":{"is":{"name":"Sensor 1"}}}}`);
    const { estimated, total } = await metaOf(`/entries?prismaQueryOptions=${escaped}`, some);
    expect({ estimated, total }).toEqual({ estimated: undefined, total: 1_200 });
    expect((await metaOf("/sensors?count=estimated", some)).total).toBe(1);
  });

  it("are limited where Prisma Client runs the query", async () => {
    const other = await world.serveByPrisma();
    expect(await metaOf("/entries?count=estimated", other)).toMatchObject({ total: 10_000, limited: true });
    expect(await metaOf("/entries?count=estimated&kind=rare", other)).toMatchObject({ total: 3_000, pages: 150 });
    expect(await metaOf("/entries?count=exact", other)).toMatchObject({ total: rows });
  });
});

describe("C125 the next page of a deep page", () => {
  it("is a cursor after 1,000 skipped rows, with the rows that the page would have", async () => {
    expect(await linkOf("/entries?page=50&sort=-weight")).toContain('page=51>; rel="next"');
    const deep = await linkOf("/entries?page=51&sort=-weight&kind=common");
    expect(deep).toContain('page=50>; rel="prev"');
    expect(deep).toContain('page=450>; rel="last"');
    const [, target = ""] = /<\/api([^>]*)>; rel="next"/.exec(deep) ?? [];
    expect(target).toMatch(/^\/entries\?sort=-weight&kind=common&cursor=[\w-]+$/);
    const next = await served.call("GET", target);
    const paged = await served.call("GET", "/entries?page=52&sort=-weight&kind=common");
    expect(next.body.data).toEqual(paged.body.data);
    expect(next.headers.get("link")).toContain('cursor=>; rel="first"');
  });

  it("is a page number where no cursor is possible, and absent after the last page", async () => {
    for (const query of ["sort=sensor.name", "fields=kind", "sort=weight&fields=id"])
      expect([query, await linkOf(`/entries?page=51&${query}`)]).toEqual([
        query,
        expect.stringContaining('page=52>; rel="next"'),
      ]);
    expect(await linkOf("/entries?page=600")).not.toContain('rel="next"');
    expect(await linkOf("/entries?page=51&count=false")).toContain("cursor=");
    // With rows as objects, because a relation has a row rule.
    const ruled = await world.serve({ models: { Sensor: { auth: { where: () => ({ id: 1 }) } } } });
    const { headers } = await ruled.call("GET", "/entries?page=51&include=sensor");
    expect(headers.get("link")).toContain("cursor=");
  });
});
