import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seedBooks } from "./books.js";
import type { Served } from "./serve-models.js";
import { type Shelf, startShelf } from "./shelf.js";

const allow = { allowDangerousOrmQueryOptions: true };
let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"), allow);
  await seedBooks(shelf);
});
afterAll(() => shelf?.close());

const query = (options: unknown): string =>
  `prismaQueryOptions=${encodeURIComponent(typeof options === "string" ? options : JSON.stringify(options))}`;
const list = (path: string, options: unknown, more = "") => shelf.call("GET", `/${path}?${query(options)}${more}`);
const ids = async (options: unknown, more = ""): Promise<unknown> => {
  const { status, body } = await list("books", options, more);
  return status === 200 ? body.data.map((row: { id: unknown }) => row.id) : body;
};

describe("C22 prismaQueryOptions", () => {
  it("are an unknown field unless they are enabled", async () => {
    const plain = await shelf.serve({});
    for (const path of ["/books", "/books/1"]) {
      const { status, body } = await plain.call("GET", `${path}?${query({ select: { id: true } })}`);
      expect([status, body.errors[0].path]).toEqual([400, "/prismaQueryOptions"]);
    }
  });

  it.each<[string, unknown, unknown]>([
    ["equal values", { where: { title: "One" } }, [1, 6]],
    [
      "several operators, AND, OR and NOT",
      { where: { OR: [{ pages: { gte: 400, lt: 500 } }, { AND: [{ title: "One" }], NOT: { id: 6 } }] } },
      [1, 4],
    ],
    ["the mode", { where: { title: { contains: "FI", mode: "insensitive" } } }, [5]],
    ["literal percent signs", { where: { subtitle: { contains: "%" } } }, [5]],
    ["null and not null", { where: { isbn: null, pages: { not: null } } }, [6]],
    [
      "lists, decimals and dates as text",
      { where: { price: { in: ["10.00", 12.5] }, NOT: { publishedAt: { gt: "2001-06-01T00:00:00Z" } } } },
      [1],
    ],
    ["nested not", { where: { pages: { not: { gte: 200 } } } }, [1, 6]],
    ["relations", { where: { publisher: { name: "Alpha" }, tags: { some: { name: "a" } } } }, [1, 2]],
    ["empty relations", { where: { publisher: { is: null } } }, [4]],
    ["any row", { where: { tags: { none: {} } } }, [4, 6]],
    ["an enum by its name", { where: { size: { in: ["SMALL", "LARGE"] } } }, [1, 3, 5]],
    ["an order", { orderBy: [{ pages: { sort: "desc", nulls: "last" } }, { title: "asc" }] }, [5, 4, 2, 1, 6, 3]],
    [
      "an order by a relation and by a count",
      { orderBy: [{ tags: { _count: "desc" } }, { publisher: { name: "desc" } }] },
      [1, 5, 3, 2, 4, 6],
    ],
    ["take and skip", { take: 2, skip: 1 }, [2, 3]],
    ["the last rows", { take: -2 }, [5, 6]],
    ["a cursor", { cursor: { id: 3 }, take: 2 }, [3, 4]],
    ["a cursor by another unique field", { cursor: { isbn: "i2" }, take: 1 }, [2]],
    ["distinct values", { distinct: ["title"] }, [1, 2, 3, 4, 5]],
    ["no rows", { take: 0 }, []],
  ])("accept %s as Prisma does", async (_title, options, expected) => {
    expect(await ids(options)).toEqual(expected);
  });

  it("are merged over the rest of the query", async () => {
    expect(await ids({ where: { pages: 100 } }, "&title=One&sort=-id")).toEqual([6, 1]);
    expect(await ids({ orderBy: { id: "asc" } }, "&title=One&sort=-id")).toEqual([1, 6]);
    const { body, headers } = await list("books", { take: 2, skip: 1 }, "&limit=5");
    expect([body.meta, headers.get("link")]).toEqual([{ total: 6, count: 2, limit: 2 }, null]);
    expect((await list("books", { select: { id: true } }, "&limit=5")).body.meta).toMatchObject({ page: 1, pages: 2 });
    const { body: one } = await shelf.call("GET", `/books/1?fields=id&${query({ include: { publisher: true } })}`);
    expect(one.data).toEqual({ id: 1, publisher: { id: 1, name: "Alpha", city: "Bern" } });
  });

  it("select the response by select, include, omit and _count, without a hidden field", async () => {
    const shape = async (options: unknown) => (await shelf.call("GET", `/publishers/1?${query(options)}`)).body.data;
    expect(await shape({ omit: { city: true } })).toEqual({ id: 1, name: "Alpha" });
    expect(await shape({ select: { name: true, books: { select: { id: true }, take: -1 } } })).toEqual({
      name: "Alpha",
      books: [{ id: 6 }],
    });
    expect(await shape({ select: { _count: true } })).toEqual({ _count: { books: 3 } });
    expect(await shape({ select: { _count: { select: { books: { where: { pages: 100 } } } } } })).toEqual({
      _count: { books: 2 },
    });
    const { body } = await list("books", {
      where: { id: 1 },
      select: {
        publisher: { include: { books: { where: { title: "Two" }, omit: { createdAt: true, updatedAt: true } } } },
      },
    });
    expect(Object.keys(body.data[0].publisher)).toEqual(["id", "name", "city", "books"]);
    expect(body.data[0].publisher.books[0]).toMatchObject({ id: 2, title: "Two" });
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  const through = (inner: unknown): unknown => ({ books: { some: { publisher: inner } } });
  it.each<[string, string, unknown]>([
    ["no object", "books", "[]"],
    ["no JSON", "books", "{where"],
    ["a scalar", "books", "1"],
    ["an unknown option", "books", { data: { id: 1 } }],
    ["raw SQL", "books", { $queryRaw: "select 1" }],
    ["relationLoadStrategy", "books", { relationLoadStrategy: "join" }],
    ["a hidden field in where", "publishers", { where: { secret: "x" } }],
    ["a hidden field through a relation", "books", { where: { publisher: { secret: { gt: "a" } } } }],
    [
      "a hidden field through two relations and groups",
      "publishers",
      { where: { AND: { NOT: [through({ OR: [{ secret: "x" }] })] } } },
    ],
    ["a hidden field in orderBy", "publishers", { orderBy: { secret: "asc" } }],
    ["a hidden field in orderBy through a relation", "books", { orderBy: { publisher: { secret: "asc" } } }],
    ["a hidden field in select", "publishers", { select: { secret: true } }],
    ["a hidden field in a deep select", "books", { select: { publisher: { select: { secret: true } } } }],
    [
      "a hidden field in a deep include",
      "books",
      { include: { sequel: { include: { publisher: { select: { secret: true } } } } } },
    ],
    ["a hidden field in omit", "publishers", { omit: { secret: true } }],
    ["a hidden field in distinct", "publishers", { distinct: ["secret"] }],
    ["a hidden field as a cursor", "publishers", { cursor: { secret: "x" } }],
    ["a hidden field in a nested where", "tags", { include: { books: { where: { publisher: { secret: "x" } } } } }],
    ["a hidden field in a nested order", "tags", { include: { books: { orderBy: { publisher: { secret: "asc" } } } } }],
    [
      "a hidden field in the where of a count",
      "tags",
      { select: { _count: { select: { books: { where: { publisher: { secret: "x" } } } } } } },
    ],
    ["a reference to a column", "books", { where: { title: { equals: { _ref: "subtitle", _container: "Book" } } } }],
    ["a reference in a list", "books", { where: { pages: { in: [{ _ref: "id", _container: "Book" }] } } }],
    ["a prototype key", "books", '{"where":{"__proto__":{"id":1}}}'],
    ["constructor", "books", { where: { constructor: 1 } }],
    ["an object as a value", "books", { where: { title: { contains: {} } } }],
    ["a number for text", "books", { where: { title: 1 } }],
    ["text for a number", "books", { where: { pages: "1" } }],
    ["an operator of ours", "books", { where: { title: { icontains: "x" } } }],
    ["an operator of another type", "books", { where: { pages: { contains: "x" } } }],
    ["an unknown mode", "books", { where: { title: { equals: "x", mode: "raw" } } }],
    ["a mode where it has no meaning", "books", { where: { title: { in: ["x"], mode: "insensitive" } } }],
    ["null for a required field", "books", { where: { title: null } }],
    ["null in a list", "books", { where: { pages: { in: [null] } } }],
    ["an empty group", "books", { where: { OR: [] } }],
    ["an empty condition", "books", { where: { title: {} } }],
    ["a list without a quantifier", "books", { where: { tags: { name: "a" } } }],
    ["too many rows", "books", { take: 101 }],
    ["too many last rows", "books", { take: -101 }],
    ["too several rows of a relation", "books", { include: { tags: { take: 101 } } }],
    ["a fraction of a row", "books", { take: 1.5 }],
    ["a negative skip", "books", { skip: -1 }],
    ["select beside include", "books", { select: { id: true }, include: { tags: true } }],
    [
      "a nested select beside omit",
      "books",
      { include: { publisher: { select: { id: true }, omit: { city: true } } } },
    ],
    ["nothing to show", "books", { select: { id: false } }],
    ["where on a to-one relation", "books", { include: { publisher: { where: { id: 1 } } } }],
    [
      "an include that is too deep",
      "tags",
      { include: { books: { include: { prequels: { include: { prequels: { include: { tags: true } } } } } } } },
    ],
    ["six order keys", "books", { orderBy: Array(6).fill({ id: "asc" }) }],
    ["two orders in one", "books", { orderBy: { id: "asc", title: "asc" } }],
    ["an unknown direction", "books", { orderBy: { id: "up" } }],
    ["an order of values without one", "values", { orderBy: { json: "asc" } }],
    ["an unknown place of nulls", "books", { orderBy: { pages: { sort: "asc", nulls: "middle" } } }],
    ["a place of nulls for a required field", "books", { orderBy: { title: { sort: "asc", nulls: "last" } } }],
    ["a place of nulls without a direction", "books", { orderBy: { pages: { nulls: "last" } } }],
    ["an unknown word next to a direction", "books", { orderBy: { pages: { sort: "asc", order: 1 } } }],
    ["an order by an unknown value of many rows", "books", { orderBy: { tags: { _count: "up" } } }],
    ["an order by two values of many rows", "books", { orderBy: { tags: { _count: "asc", name: "asc" } } }],
    ["an order by a text", "books", { orderBy: "id" }],
    ["an order without a key", "books", { orderBy: {} }],
    [
      "an order through too many relations",
      "books",
      { orderBy: { sequel: { sequel: { sequel: { sequel: { id: "asc" } } } } } },
    ],
    ["an order by many rows", "books", { orderBy: { tags: { name: "asc" } } }],
    ["501 items", "books", { where: { pages: { in: Array(501).fill(1) } } }],
    ["101 conditions", "books", { where: { AND: Array(101).fill({ id: 1 }) } }],
    ["deep groups", "books", { where: [..."123456"].reduce<unknown>((inner) => ({ AND: inner }), { id: 1 }) }],
    ["deep relations", "books", { where: [..."1234"].reduce<unknown>((inner) => ({ sequel: inner }), { id: 1 }) }],
    [
      "a tower of not",
      "books",
      {
        where: {
          pages: Array(150)
            .fill(0)
            .reduce<unknown>((inner) => ({ not: inner }), 1),
        },
      },
    ],
    ["half a cursor", "authorships", { cursor: { bookId_writerId: { bookId: 1 } } }],
    ["a cursor of two keys", "books", { cursor: { id: 1, isbn: "i1" } }],
  ])("are 400 for %s", async (_title, path, options) => {
    const { status, body } = await list(path, options);
    expect([status, body.errors?.[0]?.path]).toEqual([400, "/prismaQueryOptions"]);
  });

  it.each([
    [{ where: { titel: "x" } }, "where.titel: Book has no field titel. Did you mean title?"],
    [{ orderBy: { titel: "asc" } }, "orderBy.titel: Book has no field titel. Did you mean title?"],
    [{ include: { title: true } }, "include.title: title is a field of Book, not a relation."],
    [{ omit: { publisher: true } }, "omit: publisher is a relation of Book, not a field."],
    [{ select: { publishr: true } }, "select.publishr: Book has no field publishr. Did you mean publisher?"],
    [{ distinct: ["publisher"] }, "distinct: publisher is a relation of Book, not a field."],
    [{ distinct: [1] }, "distinct must contain field names."],
  ])("explain why a name is not allowed: %j", async (options, message) => {
    const { status, body } = await list("books", options);
    expect([status, body.errors?.[0]?.message]).toEqual([400, `prismaQueryOptions.${message}`]);
  });

  it("return the same error for a hidden field as for an unknown one", async () => {
    const message = async (name: string) =>
      (await list("publishers", { where: { [name]: 1 } })).body.detail.replaceAll(name, "…");
    expect(await message("secret")).toBe(await message("nothere"));
  });

  it("exclude the parameter cursor, and accept only a selection for the read of one row", async () => {
    expect((await list("books", { take: 1 }, "&cursor=")).status).toBe(400);
    expect((await list("books", {}, `&${query({})}`)).status).toBe(400);
    for (const options of [{ where: { id: 2 } }, { take: 1 }, { orderBy: { id: "asc" } }]) {
      expect((await shelf.call("GET", `/books/1?${query(options)}`)).status).toBe(400);
    }
  });

  it("include as many rows of a relation as a request without them", async () => {
    await shelf.sql(`INSERT INTO "Tag" (name) SELECT 'many' || n FROM generate_series(1, 120) AS n`);
    await shelf.sql(`INSERT INTO "_BookToTag" ("A", "B") SELECT 4, 'many' || n FROM generate_series(1, 120) AS n`);
    for (const include of [{ tags: true }, { tags: { orderBy: { name: "desc" } } }]) {
      const { body } = await shelf.call("GET", `/books/4?${query({ include })}`);
      expect(body.data.tags).toHaveLength(100);
    }
    await shelf.sql(`DELETE FROM "Tag" WHERE name LIKE 'many%'`);
  });
});

describe("C22 C30 prismaQueryOptions under rules of rows and fields", () => {
  let ruled: Served;
  beforeAll(async () => {
    const Book = {
      auth: { where: () => ({ pages: { gte: 200 } }), fields: { "*": ["id", "title", "publisherId", "tags"] } },
    };
    ruled = await shelf.serve({ ...allow, models: { Book } as never });
  });
  const call = (path: string, options: unknown) => ruled.call("GET", `/${path}?${query(options)}`);

  it("reach only rows that the caller may read, at every depth", async () => {
    const { body } = await call("books", { where: { OR: [{ id: 1 }, { id: 2 }] }, select: { id: true } });
    expect([body.data, body.meta.total]).toEqual([[{ id: 2 }], 1]);
    const deep = await call("publishers", {
      where: { id: 1 },
      select: { _count: true, books: { select: { id: true } } },
    });
    expect(deep.body.data).toEqual([{ _count: { books: 1 }, books: [{ id: 2 }] }]);
    const counted = await call("publishers", {
      where: { id: 1 },
      select: { _count: { select: { books: { where: { id: { gt: 0 } } } } } },
    });
    expect(counted.body.data).toEqual([{ _count: { books: 1 } }]);
    expect((await call("tags", { where: { books: { some: { id: 1 } } } })).body.data).toEqual([]);
    expect((await call("publishers", { where: { books: { none: { title: "One" } } } })).body.meta.total).toBe(3);
  });

  it("reveal nothing about other rows by an order or a cursor", async () => {
    for (const options of [{ cursor: { id: 1 } }, { orderBy: { publisher: { books: { _count: "asc" } } } }]) {
      expect((await call("books", options)).status).toBe(400);
    }
    expect((await call("publishers", { orderBy: { books: { _count: "asc" } } })).status).toBe(400);
    expect((await call("publishers", { include: { books: { cursor: { id: 1 } } } })).status).toBe(400);
  });

  it("name only the fields that are visible to the caller", async () => {
    for (const options of [
      { where: { price: 10 } },
      { select: { price: true } },
      { orderBy: { price: "asc" } },
      { distinct: "price" },
    ]) {
      const { status, body } = await call("books", options);
      expect([status, body.errors[0].path]).toEqual([400, "/prismaQueryOptions"]);
    }
  });
});
