import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seedBooks } from "./books.js";
import type { Served } from "./serve-models.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
let small: Served;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await seedBooks(shelf);
  // Publisher 9 has 300 books, each with 10 tags; publisher 8 has 40 books without.
  await shelf.sql(`INSERT INTO "Publisher" (id, "full name", secret) VALUES (8, 'Few', 'p8'), (9, 'Many', 'p9')`);
  await shelf.sql(`INSERT INTO "Book" (id, title, "publisherId", "updatedAt")
    SELECT 2000 + n, 't' || n, CASE WHEN n <= 300 THEN 9 ELSE 8 END, now() FROM generate_series(1, 340) AS n`);
  await shelf.sql(`INSERT INTO "Tag" (name) SELECT 'g' || n FROM generate_series(1, 10) AS n`);
  await shelf.sql(`INSERT INTO "_BookToTag" ("A", "B")
    SELECT 2000 + n, 'g' || g FROM generate_series(1, 300) AS n, generate_series(1, 10) AS g`);
  small = await shelf.serve({ include: { depth: 3, rows: 100, total: 350 }, allowDangerousOrmQueryOptions: true });
});
afterAll(() => shelf?.close());

describe("C8 C20 the rows of one response", () => {
  it("are counted by their real number: a deep include of few rows is accepted", async () => {
    const { status, body } = await small.call(
      "GET",
      "/publishers?id__lt=8&include=books.tags,books.authorships.payments",
    );
    expect([status, body.data.length]).toEqual([200, 3]);
    expect(body.data[0].books.map(({ tags }: { tags: unknown[] }) => tags.length)).toEqual([2, 1, 0]);
  });

  it("are rejected if there are too many rows of nested relations, with the limit and a fitting page size", async () => {
    const { status, body } = await small.call("GET", "/publishers/9?include=books.tags");
    expect([status, body.code]).toEqual([400, "ValidationError"]);
    expect(body.errors).toEqual([
      {
        in: "query",
        path: "/include",
        code: "TooManyRows",
        message:
          "books.tags includes more rows than the maximum of 350 per response; list the tag rows separately, page by page.",
      },
    ]);
    const list = await small.call("GET", "/books?id__gt=2000&limit=100&include=tags");
    expect(list.body.errors[0].message).toBe(
      "tags includes more rows than the maximum of 350 per response; use limit=35.",
    );
    expect((await small.call("GET", "/books?id__gt=2000&limit=35&include=tags")).status).toBe(200);
  });

  it("of a long relation are read up to its limit, whatever the size of the table", async () => {
    const one = await small.call("GET", "/publishers/9?include=books");
    expect(one.body.data.books.map(({ id }: { id: number }) => id)).toEqual(
      Array.from({ length: 100 }, (_, n) => 2001 + n),
    );
    expect(Object.keys(one.body.data)).toEqual(["id", "name", "city", "books"]);
    const list = await small.call("GET", "/publishers?fields=name&sort=-id&limit=2&include=books");
    expect(list.body.data.map((row: { name: string; books: unknown[] }) => [row.name, row.books.length])).toEqual([
      ["Many", 100],
      ["Few", 40],
    ]);
    expect(Object.keys(list.body.data[0])).toEqual(["name", "books"]);
    const plain = await shelf.call("GET", "/publishers?fields=name&sort=-id&limit=2&include=books");
    expect(list.body).toEqual(plain.body);
  });

  it("of a long relation never leave the database", async () => {
    let sent: string[] = [];
    sent = await shelf.statements(() => small.call("GET", "/publishers/9?include=books"));
    const reads = sent.filter((sql) => !/count\(/i.test(sql) && /FROM "public"\."Book"/.test(sql));
    expect(reads).toHaveLength(1);
    expect(reads[0]).toMatch(/LIMIT/);
  });

  it("count a row as often as it is shown", async () => {
    const { status, body } = await small.call("GET", "/books?id__gt=2000&limit=10&include=publisher.books");
    expect([status, body.errors?.[0].path]).toEqual([400, "/include"]);
    expect((await small.call("GET", "/books?id__gt=2000&limit=3&include=publisher.books")).status).toBe(200);
    expect((await small.call("GET", "/tags?name=g1&include=books.tags")).status).toBe(400);
  });

  it("are those of the page, whatever the position of the cursor", async () => {
    const first = await small.call("GET", "/publishers?sort=-id&limit=1&cursor=&include=books");
    expect(first.body.data[0].books).toHaveLength(100);
    const next = `/publishers?sort=-id&limit=1&cursor=${first.body.meta.nextCursor}&include=books.tags`;
    const { status, body } = await small.call("GET", next);
    expect([status, body.data[0].name, body.data[0].books.length]).toEqual([200, "Few", 40]);
  });

  it("cost nothing in a response without lists", async () => {
    const counting = async (path: string) =>
      (await shelf.statements(() => shelf.call("GET", path))).filter((sql) => /count\(/i.test(sql)).length;
    expect(await counting("/books/1?include=publisher,sequel.cover")).toBe(0);
    expect(await counting("/books?count=false&include=publisher")).toBe(0);
    expect(await counting("/publishers/1?include=books")).toBe(1);
  });

  it("are counted for prismaQueryOptions too, distinct included", async () => {
    const call = (path: string, options: unknown) =>
      small.call("GET", `${path}?prismaQueryOptions=${encodeURIComponent(JSON.stringify(options))}`);
    expect((await call("/publishers/9", { include: { books: { include: { tags: { take: 1 } } } } })).status).toBe(400);
    const few = { include: { books: { where: { id: { lte: 2010 } }, include: { tags: { take: 1 } } } } };
    expect((await call("/publishers/9", few)).body.data.books).toHaveLength(10);
    const { body } = await call("/publishers/9", {
      select: { books: { orderBy: { id: "desc" }, take: 3, select: { id: true } } },
    });
    expect(body.data).toEqual({ books: [{ id: 2340 - 40 }, { id: 2299 }, { id: 2298 }] });
    expect((await call("/books", { distinct: ["title"], where: { id: { lt: 100 } } })).body.data).toHaveLength(5);
    expect((await call("/books", { distinct: ["title"] })).status).toBe(200);
    const narrow = await shelf.serve({
      include: { depth: 3, rows: 100, total: 100 },
      allowDangerousOrmQueryOptions: true,
    });
    const wide = await narrow.call("GET", `/books?prismaQueryOptions=${encodeURIComponent('{"distinct":"title"}')}`);
    expect([wide.status, wide.body.errors[0].code]).toEqual([400, "TooManyRows"]);
  });
});
