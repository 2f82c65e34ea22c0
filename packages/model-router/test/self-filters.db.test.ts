import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";
import type { Served } from "./serve-models.js";

/** The rows of a series: three books have the first one as their sequel. */
const titles = ["root", "a", "b", "c", "other"];

describe.each(providers)("C119 writes by a filter that returns to the written model on %s", (provider) => {
  let served: Portable;
  let ruled: Served;
  let ids: readonly number[];
  beforeAll(async () => {
    served = await startPortable(provider, inject("postgresUrl"));
    // Books of a series in which some book has pages, and covers of such books.
    const inSeries = { sequel: { prequels: { some: { pages: { gt: 0 } } } } };
    ruled = await served.serve({
      models: {
        Book: { auth: { where: () => inSeries } },
        Cover: { auth: { where: () => ({ book: { cover: { color: "red" } } }) } },
      },
    });
  });
  afterAll(() => served?.close());
  beforeEach(async () => {
    const books = served.database.of("Book");
    await served.database.of("Cover").deleteMany({ where: {}, everything: true });
    await books.deleteMany({ where: {}, everything: true });
    const created = await books.createMany({
      data: titles.map((title) => ({ title, pages: 1 })),
      select: { id: true },
    });
    ids = created.map(({ id }) => id as number);
    for (const id of ids.slice(1, 4))
      await books.update({ where: { id }, data: { seriesOf: ids[0] }, select: { id: true } });
    await served.database.of("Cover").createMany({
      data: ["red", "blue"].map((color, index) => ({ id: `cover-${color}`, color, bookId: ids[index] })),
    });
  });

  const rows = async (): Promise<readonly string[]> => {
    const found = await served.database.of("Book").findMany({ orderBy: { id: "asc" } });
    return found.map(({ title, pages, seriesOf }) => `${title} ${pages}${seriesOf === null ? "" : " in series"}`);
  };

  it.each([
    ["sequel__title=root", ["root 1", "other 1"], 3],
    ["prequels__title__in=a,b", ["a 1", "b 1", "c 1", "other 1"], 1],
    ["prequels__none__title=a", ["root 1"], 4],
    ["or[0][sequel__title]=root&or[1][prequels__title]=a", ["other 1"], 4],
    ["sequel__prequels__title=b", ["root 1", "other 1"], 3],
    ["cover__book__title=a", ["root 1", "b 1 in series", "c 1 in series", "other 1"], 1],
  ])("deletes all rows that %s matches", async (query, left, count) => {
    const { status, body } = await served.call("DELETE", `/books/many?${query}`);
    expect([status, body.meta]).toEqual([200, { count }]);
    expect(await rows()).toEqual(left);
  });

  it("updates all rows that the filter matches", async () => {
    const { status, body } = await served.call("PATCH", "/books/many?sequel__prequels__title=b", { pages: 9 });
    expect([status, body.meta]).toMatchObject([200, { count: 3 }]);
    expect(await rows()).toEqual(["root 1", "a 9 in series", "b 9 in series", "c 9 in series", "other 1"]);
  });

  it("writes single rows that such a row rule matches, and no others", async () => {
    const [root, a, b] = ids;
    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await ruled.call(method, path, body)).status;
    expect(await statusOf("PATCH", `/books/${a}`, { pages: 2 })).toBe(200);
    expect(await statusOf("PATCH", `/books/${root}`, { pages: 2 })).toBe(404);
    expect(await statusOf("DELETE", `/books/${root}`)).toBe(404);
    expect(await statusOf("DELETE", `/books/${b}`)).toBe(204);
    expect(await statusOf("DELETE", `/books/${b}`)).toBe(404);
    expect(await statusOf("PATCH", "/covers/cover-red", { color: "red" })).toBe(200);
    expect(await statusOf("PATCH", "/covers/cover-blue", { color: "red" })).toBe(404);
    expect(await statusOf("DELETE", "/covers/cover-red")).toBe(204);
    expect(await rows()).toEqual(["root 1", "a 2 in series", "c 1 in series", "other 1"]);
  });

  it("writes the rows of bulk requests that such a row rule matches, and no others", async () => {
    const [root, a, b] = ids;
    expect((await ruled.call("PATCH", "/books/many?pages=1", { pages: 3 })).body.meta).toMatchObject({ count: 3 });
    expect(
      (
        await ruled.call("PATCH", "/books/many", [
          { id: a, pages: 4 },
          { id: b, pages: 5 },
        ])
      ).status,
    ).toBe(200);
    expect((await ruled.call("DELETE", "/books/many", { ids: [a, root] })).status).toBe(404);
    expect((await ruled.call("DELETE", "/books/many", { ids: [a] })).body.meta).toEqual({ count: 1 });
    expect((await ruled.call("DELETE", "/books/many?pages__in=1,3")).body.meta).toEqual({ count: 1 });
    expect(await rows()).toEqual(["root 1", "b 5 in series", "other 1"]);
  });
});
