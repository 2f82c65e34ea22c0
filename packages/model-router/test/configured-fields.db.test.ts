import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig, RowFilter } from "../src/index.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

let database: World;
let hiding: Guarded;

const all = (names: string): readonly string[] => names.split(" ");

beforeAll(async () => {
  database = await makeWorld(inject("postgresUrl"));
  hiding = await database.serve({
    models: {
      Book: {
        hidden: all("subtitle price score publishedAt size seriesOf sequel prequels authorships createdAt updatedAt"),
      },
    },
  });
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "Writer", "Authorship", "Payment", "_BookToTag"));
  await seedWorld(database, { secret: "s", score: "1", subtitle: "'sub'", writer: "", share: "60", outside: [] });
});

const read = async (path: string, who: Who, service: Guarded) => {
  const { status, text } = await service.call("GET", path, undefined, who);
  return status === 200 ? JSON.parse(text).data : status;
};

describe("C11 hidden fields of the configuration", () => {
  it("are treated like those of the schema, in responses and in errors", async () => {
    expect(Object.keys(await read("/books/1", undefined, hiding))).toEqual(all("id title isbn pages publisherId"));
    expect((await hiding.call("POST", "/books", { title: "x", price: 1 })).status).toBe(400);
    const created = await hiding.call("POST", "/books", { title: "x" });
    expect([created.status, Object.keys(JSON.parse(created.text).data)]).toEqual([
      201,
      all("id title isbn pages publisherId"),
    ]);
    const unique = await database.serve({ models: { Book: { hidden: ["isbn"] } } });
    await database.sql(`ALTER TABLE "Book" ALTER COLUMN isbn SET DEFAULT 'i1'`);
    const { status, text } = await unique.call("POST", "/books", { title: "x" });
    await database.sql(`ALTER TABLE "Book" ALTER COLUMN isbn DROP DEFAULT`);
    expect([status, JSON.parse(text).code]).toEqual([409, "UniqueConstraint"]);
    expect(text).not.toContain("isbn");
  });

  it("move the id to the next unique field", async () => {
    const service = await database.serve({ models: { Publisher: { hidden: ["id"] } } });
    const { status, text } = await service.call("GET", "/publishers/Alpha");
    expect([status, JSON.parse(text).data]).toEqual([200, { name: "Alpha", city: "Bern" }]);
    const created = await service.call("POST", "/publishers", { name: "New" });
    expect([created.status, created.location]).toEqual([201, "/api/publishers/New"]);
    expect((await service.call("PATCH", "/publishers/many", [{ id: "New", city: "X" }])).status).toBe(200);
    expect((await service.call("GET", "/publishers/1")).status).toBe(404);
  });
});

describe("C8 searchable fields", () => {
  it("are the only ones that search uses; an empty list means none", async () => {
    const service = await database.serve({ models: { Book: { searchable: ["isbn"] }, Publisher: { searchable: [] } } });
    const found = async (path: string) => (await read(path, undefined, service)) as unknown;
    expect(await found("/books?search=I1&fields=id")).toEqual([{ id: 1 }]);
    expect(await found("/books?search=One")).toEqual([]);
    expect(await found("/publishers?search=Alpha")).toBe(400);
  });

  it("are never hidden ones", async () => {
    const service = await database.serve({
      models: {
        Book: { searchable: ["title", "subtitle"], auth: { fields: { "*": ["id", "title"], editor: ["subtitle"] } } },
      },
    });
    expect(await read("/books?search=sub", undefined, service)).toEqual([]);
    expect(await read("/books?search=sub&fields=id", ["editor"], service)).toHaveLength(2);
  });
});

describe("C44 default query options", () => {
  it("restrict a list to a filter, an order, a number of rows and fields, which a request narrows and never widens", async () => {
    const service = await database.serve({
      models: {
        Book: {
          query: {
            findMany: {
              where: { pages: { not: null } },
              orderBy: [{ title: "desc" }],
              take: 3,
              select: { id: true, title: true, cover: true },
            },
            findOne: { where: { NOT: { title: "Two" } }, omit: { price: true, createdAt: true, updatedAt: true } },
          },
        },
      },
    });
    const get = (path: string) => read(path, undefined, service);
    const list = await service.call("GET", "/books");
    expect(JSON.parse(list.text)).toMatchObject({
      data: [
        { id: 4, title: "four", cover: null },
        { id: 2, title: "Two", cover: { color: "blue" } },
        { id: 1, title: "One" },
      ],
      meta: { total: 5, limit: 3 },
    });
    expect(await get("/books?limit=4")).toBe(400);
    expect(await get("/books?limit=1&sort=id&fields=title&include=cover")).toEqual([
      { title: "One", cover: expect.objectContaining({ color: "red" }) },
    ]);
    for (const query of [
      "fields=pages",
      "fields=-pages",
      "include=tags",
      "include=tags.books",
      "include=cover,publisher",
    ]) {
      expect([query, await get(`/books?${query}`)]).toEqual([query, 400]);
    }
    expect(await get("/books?or[0][pages__isNull]=true&or[1][id]=5&fields=id")).toMatchObject([{ id: 5 }]);
    expect(await get("/books?pages=500&fields=id&include=cover.book")).toHaveLength(1);
    expect(await get("/books/2")).toBe(404);
    expect(Object.keys(await get("/books/1?include=tags"))).toEqual(expect.arrayContaining(["subtitle", "tags"]));
    expect(await get("/books/1?fields=price")).toBe(400);
    expect((await service.call("PATCH", "/books/2", { pages: 1 })).status).toBe(200);
    const next = await service.call("GET", "/books?cursor=&limit=2");
    expect(JSON.parse(next.text).data.map(({ id }: { id: number }) => id)).toEqual([4, 2]);
  });

  describe.each<readonly [string, (where: RowFilter) => ModelConfig]>([
    ["the default filter of both reads", (where) => ({ query: { findOne: { where }, findMany: { where } } })],
    [
      "row rules of both reads",
      (where) => ({
        auth: {
          all: false,
          findOne: { rule: false, where: () => where },
          findMany: { rule: false, where: () => where },
        },
      }),
    ],
    [
      "the default filter of single rows, if lists are closed",
      (where) => ({ operations: { findMany: false }, query: { findOne: { where } } }),
    ],
  ])("C57 with %s", (_, configOf) => {
    const isRead = { NOT: { title: "out" } };
    const outside = { title: "out" };

    it("C57 a write that moves a row outside returns nothing of it", async () => {
      const service = await database.serve({
        models: { Book: { ...configOf(isRead), upsert: true, writable: ["id"] } },
      });
      const call = async (method: string, path: string, body: object): Promise<unknown> => {
        await database.sql(`UPDATE "Book" SET title = 'in' WHERE title = 'out'`);
        const { status, text, etag } = await service.call(method, path, body);
        return [status, text, etag];
      };
      expect(await call("PATCH", "/books/2", outside)).toEqual([204, "", undefined]);
      expect(await call("PATCH", "/books/2", { ...outside, pages: 3 })).toEqual([204, "", undefined]);
      expect(await call("POST", "/books", outside)).toEqual([201, "", undefined]);
      expect(await call("PUT", "/books/2", outside)).toEqual([204, "", undefined]);
      expect(await call("PUT", "/books/77", outside)).toEqual([201, "", undefined]);
      expect((await service.call("GET", "/books/77")).status).toBe(404);
      expect(await call("PATCH", "/books/many", [{ id: 2, ...outside }])).toEqual([204, "", undefined]);
      expect(service.logged).toEqual([]);
    });
  });

  it("C57 a write that moves a row outside of the filter of single rows only returns it as the list does", async () => {
    const service = await database.serve({
      models: {
        Book: { query: { findOne: { where: { NOT: { title: "out" } } }, findMany: { omit: { pages: true } } } },
      },
    });
    const { status, text } = await service.call("PATCH", "/books/2", { title: "out" });
    expect([status, JSON.parse(text).data.title]).toEqual([200, "out"]);
    expect(JSON.parse(text).data).not.toHaveProperty("pages");
    expect(JSON.parse((await service.call("PATCH", "/books/2", { title: "in" })).text).data).toHaveProperty("pages");
  });

  it("do not sort by a field that is hidden from the caller", async () => {
    const service = await database.serve({
      models: {
        Book: {
          auth: { fields: { "*": all("id title"), editor: ["price"] } },
          query: { findMany: { orderBy: { price: "desc" } } },
        },
      },
    });
    const order = async (who?: Who) =>
      (await read("/books?fields=id", who, service)).map(({ id }: { id: number }) => id);
    expect(await order()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await order(["editor"])).toEqual([2, 5, 3, 1, 6, 4]);
  });
});
