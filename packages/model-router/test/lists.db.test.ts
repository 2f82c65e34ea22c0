import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seedBooks } from "./books.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  await seedBooks(shelf);
  await shelf.sql(`INSERT INTO "Person" (name) SELECT 'p' || n FROM generate_series(1, 57) n`);
  await shelf.sql(`INSERT INTO "Series" (name) SELECT 's' || n FROM generate_series(1, 3) n`);
});
afterAll(async () => {
  expect(shelf?.logged).toEqual([]);
  await shelf?.close();
});

const get = async (target: string) => {
  const { status, body, headers } = await shelf.call("GET", target);
  return { status, body, link: readLink(headers.get("link")) };
};
const issuesOf = (body: { errors?: { path: string }[] }) => body.errors?.map(({ path }) => path);

/** The targets of a `Link` header by relation (RFC 8288), as paths below `/api`. */
function readLink(header: string | null): Record<string, string> {
  const links = (header ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, url = "", relation = ""]) => [relation, url.replace(/^\/api/, "")]));
}

async function walk(start: string): Promise<{ rows: { id: number }[]; steps: number }> {
  const rows: { id: number }[] = [];
  let steps = 0;
  for (let next: string | undefined = start; next !== undefined && steps < 200; steps++) {
    const { status, body, link } = await get(next);
    expect(status).toBe(200);
    rows.push(...body.data);
    next = link.next;
  }
  return { rows, steps };
}

describe("C1, C8 pages", () => {
  it("have 20 rows, a total, and links", async () => {
    const { body, link } = await get("/people");
    expect(body.data).toHaveLength(20);
    expect(body.meta).toEqual({ total: 57, count: 20, limit: 20, page: 1, pages: 3 });
    expect(link).toEqual({ first: "/people?page=1", next: "/people?page=2", last: "/people?page=3" });
  });

  it("at the end and beyond it link back", async () => {
    const last = await get("/people?page=3&limit=20");
    expect(last.body.meta).toEqual({ total: 57, count: 17, limit: 20, page: 3, pages: 3 });
    expect(Object.keys(last.link).sort()).toEqual(["first", "last", "prev"]);
    const beyond = await get("/people?page=99");
    expect(beyond.body).toEqual({ data: [], meta: { total: 57, count: 0, limit: 20, page: 99, pages: 3 } });
    expect(beyond.link.prev).toBe("/people?page=3");
    expect(beyond.link.next).toBeUndefined();
  });

  it("of an empty list are none", async () => {
    const { body, link } = await get("/people?name=nobody");
    expect(body).toEqual({ data: [], meta: { total: 0, count: 0, limit: 20, page: 1, pages: 0 } });
    expect(link).toEqual({ first: "/people?name=nobody&page=1", last: "/people?name=nobody&page=1" });
  });

  it.each([
    "limit=7",
    "limit=7&sort=-name",
    "limit=10&name__contains=1",
    "limit=100",
    "limit=1&id__lte=9",
    "limit=19&count=false",
  ])("?%s: following next shows each row once", async (query) => {
    const { rows } = await walk(`/people?${query}`);
    const wanted = query.includes("contains") ? "name LIKE '%1%'" : query.includes("lte") ? "id <= 9" : "true";
    const all = await shelf.sql<{ id: number }>(`SELECT id FROM "Person" WHERE ${wanted} ORDER BY id`);
    expect(rows.map(({ id }) => id).sort((a, b) => a - b)).toEqual(all.map(({ id }) => id));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it("contain the other parameters unchanged, and no parameter can end a link early", async () => {
    const { link } = await get("/people?name%5Bcontains%5D=p&limit=1&name__not=%3E%22,%3Cx");
    expect(link.next).toBe("/people?name%5Bcontains%5D=p&limit=1&name__not=%3E%22,%3Cx&page=2");
    const raw = await get("/people?name__contains=p&name__not=a\\b^`{|}&limit=1");
    expect(decodeURIComponent(raw.link.next ?? "")).toContain("name__not=a\\b^`{|}");
  });

  it("have no links if a long query would make the header too long for clients", async () => {
    const list = Array.from({ length: 490 }, (_, i) => `p${100000 + i}`).join(",");
    const { status, headers } = await shelf.call("GET", `/people?name__in=p1,p2,${list}&limit=1`);
    expect([status, headers.get("link")]).toEqual([200, null]);
  });

  it("of count=false have no total, and save its query", async () => {
    const counted = await shelf.statements(() => get("/people?limit=5"));
    const uncounted = await shelf.statements(() => get("/people?limit=5&count=false"));
    expect([counted.length, uncounted.length]).toEqual([2, 1]);
    const { body, link } = await get("/people?limit=5&count=false&page=2");
    expect(body.meta).toEqual({ count: 5, limit: 5, page: 2 });
    expect(Object.keys(link).sort()).toEqual(["first", "next", "prev"]);
  });

  it.each<[string, string]>([
    ["page=0", "/page"],
    ["page=-1", "/page"],
    ["page=1.5", "/page"],
    ["page=x", "/page"],
    ["page=", "/page"],
    ["page=01", "/page"],
    ["page=1e3", "/page"],
    ["page=99999999999", "/page"],
    ["page=9007199254740993", "/page"],
    ["page=107374184", "/page"],
    ["page=1&page=2", "/page"],
    ["page[]=1", "/page[]"],
    ["page[x]=1", "/page[x]"],
    ["limit=0", "/limit"],
    ["limit=101", "/limit"],
    ["limit=-5", "/limit"],
    ["limit=all", "/limit"],
    ["limit=5&limit=5", "/limit"],
    ["limit=%2B5", "/limit"],
    ["count=1", "/count"],
    ["count=", "/count"],
    ["count=TRUE", "/count"],
    ["count=true&count=false", "/count"],
    ["sort=", "/sort"],
    ["sort=nope", "/sort"],
    ["sort=--id", "/sort"],
    ["sort=-", "/sort"],
    ["sort=id,,name", "/sort"],
    ["sort=id&sort=name", "/sort"],
    ["sort=id,id,id,id,id,id", "/sort"],
    ["sort[name]=asc", "/sort[name]"],
    ["sort=__proto__", "/sort"],
    ["sort=constructor", "/sort"],
    ["fields=", "/fields"],
    ["fields=nope", "/fields"],
    ["fields=id,-name", "/fields"],
    ["fields=-id,-name", "/fields"],
    ["fields=id,", "/fields"],
    ["fields=id&fields=name", "/fields"],
    ["fields[person]=id", "/fields[person]"],
    ["include=", "/include"],
    ["include=nope", "/include"],
    ["include=name", "/include"],
    ["include=__proto__", "/include"],
    ["search=", "/search"],
    ["search=%20", "/search"],
    ["search=a%00", "/search"],
    ["search=a&search=b", "/search"],
    ["search=a b c d e f g h i j k", "/search"],
    ["cursor=&page=1", "/cursor"],
    ["cursor=&cursor=", "/cursor"],
    ["cursor=x", "/cursor"],
  ])("returns 400 that names the parameter for ?%s", async (query, path) => {
    const { status, body } = await get(`/people?${query.replaceAll(" ", "%20")}`);
    expect([status, issuesOf(body)]).toEqual([400, [path]]);
  });

  it.each(["fields", "include"])("reports that an empty %s is empty", async (name) => {
    expect((await get(`/people?${name}=`)).body.detail).toMatch(/; it is empty\.$/);
  });

  it.each([
    ["fields=,", 'One of the names is empty: "". (and 1 more)'],
    ["fields=name,", 'One of the names is empty: "".'],
    ["include=,", 'One of the names is empty: "". (and 1 more)'],
    ["search=a%00", "search must not contain NUL or half of a surrogate pair."],
    ["search=%20", "search must have 1 to 10 words."],
  ])("reports what is wrong with ?%s", async (query, detail) => {
    const { status, body } = await get(`/people?${query}`);
    expect([status, body.detail]).toEqual([400, detail]);
  });

  it("take their sizes from the model's configuration", async () => {
    const other = await shelf.serve({
      page: { default: 5, max: 50 },
      models: { Series: { page: { default: 2, max: 3 } } },
    });
    const count = async (target: string) => (await other.call("GET", target)).body.meta?.count;
    expect(await count("/people")).toBe(5);
    expect(await count("/people?limit=50")).toBe(50);
    expect(await count("/people?limit=51")).toBeUndefined();
    expect(await count("/series")).toBe(2);
    expect(await count("/series?limit=4")).toBeUndefined();
    const page = { default: 50, max: 3 };
    await expect(shelf.serve({ models: { Series: { page } } })).rejects.toThrow(
      "models.Series.page.default: is greater than the maximum: found 50, and its maximum is 3. Set page.max of the model.",
    );
    await expect(shelf.serve({ page, models: { Series: { page: { default: 4 } } } })).rejects.toThrow(
      "models.Series.page.default: is greater than the maximum: found 4, and limits.page.max is 3.",
    );
  });
});

describe("C8 sort", () => {
  it.each<[string, string]>([
    ["title", "title, id"],
    ["-title", "title DESC, id"],
    ["title,-id", "title, id DESC"],
    ["pages,-score", "pages, score DESC, id"],
    ["-subtitle", "subtitle DESC, id"],
    ["size", "size, id"],
    ["publisher.name,-pages", `(SELECT "full name" FROM "Publisher" p WHERE p.id = "publisherId"), pages DESC, id`],
    ["-publisher__city", `(SELECT city FROM "Publisher" p WHERE p.id = "publisherId") DESC, id`],
    [
      "sequel.sequel.title",
      `(SELECT t.title FROM "Book" s JOIN "Book" t ON t.id = s."seriesOf" WHERE s.id = b."seriesOf"), id`,
    ],
    ["cover.color", `(SELECT color FROM "Cover" c WHERE c."bookId" = b.id), id`],
  ])("%s", async (sort, order) => {
    const rows = await shelf.sql<{ id: number }>(`SELECT id FROM "Book" b ORDER BY ${order}`);
    const { body } = await get(`/books?sort=${sort}&fields=id`);
    expect(body.data).toEqual(rows);
  });

  it.each([
    "publisher.secret",
    "publisher.nope",
    "publisher",
    "tags.name",
    "tags",
    "sequel.sequel.sequel.sequel.id",
    "publisher.",
  ])("rejects %s", async (sort) => {
    const { status, body } = await get(`/books?sort=${sort}`);
    expect([status, issuesOf(body)]).toEqual([400, ["/sort"]]);
  });

  it("returns 400 for values that have no order", async () => {
    for (const sort of ["json", "xml"]) expect(issuesOf((await get(`/values?sort=${sort}`)).body)).toEqual(["/sort"]);
    expect(issuesOf((await get("/listings?sort=strings")).body)).toEqual(["/sort"]);
  });

  it("C7 uses a composite id as the last keys", async () => {
    const rows = await shelf.sql(
      `SELECT "bookId", "writerId" FROM "Authorship" ORDER BY share DESC, "bookId", "writerId"`,
    );
    expect((await get("/authorships?sort=-share&fields=bookId,writerId")).body.data).toEqual(rows);
  });
});

describe("C8 fields, include and search", () => {
  it("fields selects these, or all but these", async () => {
    expect(Object.keys((await get("/books?fields=title,id")).body.data[0])).toEqual(["id", "title"]);
    const without = (await get("/books?fields=-title,-createdAt")).body.data[0];
    expect("id" in without && !("title" in without) && !("createdAt" in without)).toBe(true);
    expect((await get("/books/1?fields=title")).body).toEqual({ data: { title: "One" } });
  });

  it("include returns relations, three levels deep", async () => {
    const { body } = await get(
      "/books?id=2&fields=id&include=publisher,authorships.writer,authorships.payments,cover,sequel.tags",
    );
    expect(body.data).toEqual([
      {
        id: 2,
        publisher: { id: 1, name: "Alpha", city: "Bern" },
        cover: { id: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a12", color: "blue", bookId: 2 },
        sequel: expect.objectContaining({ id: 1, tags: [{ name: "a" }, { name: "b" }] }),
        authorships: [
          {
            bookId: 2,
            writerId: 1,
            share: 50,
            writer: { id: 1, name: "Ann" },
            payments: [{ id: "2", amount: "7.50", bookId: 2, writerId: 1 }],
          },
          {
            bookId: 2,
            writerId: 2,
            share: 50,
            writer: { id: 2, name: "Bob" },
            payments: [{ id: "3", amount: "9.99", bookId: 2, writerId: 2 }],
          },
        ],
      },
    ]);
    const deep = await get("/publishers/1?include=books.authorships.payments");
    expect(deep.body.data.books[0].authorships[0].payments[0].amount).toBe("5.00");
    expect(JSON.stringify(deep.body)).not.toContain("secret");
    expect((await get("/books/6?include=publisher,cover,tags")).body.data).toMatchObject({ cover: null, tags: [] });
  });

  it.each([
    "include=books.authorships.payments.authorship",
    "include=books.nope",
    "include=books.title",
    "include=.books",
    "include=books.",
  ])("returns 400 for ?%s", async (query) => {
    const { status, body } = await get(`/publishers?${query}`);
    expect([status, issuesOf(body)]).toEqual([400, ["/include"]]);
  });

  it("include returns at most 100 rows of a to-many relation, the first by their id", async () => {
    await shelf.sql(`INSERT INTO "Publisher" (id, "full name", secret) VALUES (9, 'Many', 'm')`);
    await shelf.sql(
      `INSERT INTO "Book" (id, title, "publisherId", "updatedAt") SELECT 100 + n, 'm', 9, now() FROM generate_series(1, 130) n`,
    );
    const { body } = await get("/publishers/9?include=books");
    expect(body.data.books.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 100 }, (_, i) => 101 + i));
    const list = await get("/publishers?include=books&id=1,9&sort=id");
    expect(list.body.data.map((row: { books: unknown[] }) => row.books.length)).toEqual([3, 100]);
    const other = await shelf.serve({ include: { depth: 1, rows: 2, total: 100 } });
    expect((await other.call("GET", "/publishers/9?include=books")).body.data.books).toHaveLength(2);
    expect((await other.call("GET", "/publishers/9?include=books.tags")).status).toBe(400);
    await shelf.sql(`DELETE FROM "Book" WHERE "publisherId" = 9`);
  });

  it("search matches every word in some text field, case-insensitive, with wildcards taken literally", async () => {
    const found = async (words: string) =>
      (await get(`/books?fields=id&search=${encodeURIComponent(words)}`)).body.data.map(({ id }: { id: number }) => id);
    expect(await found("ONE")).toEqual([1, 6]);
    expect(await found("one x")).toEqual([6]);
    expect(await found("one  i1 ")).toEqual([1]);
    expect(await found("100%")).toEqual([5]);
    expect(await found("%")).toEqual([5]);
    expect(await found("_")).toEqual([]);
    expect(await found("nothing")).toEqual([]);
    expect(await found('"a,b"')).toEqual([2]);
  });

  it("search does not use ids, references and hidden fields, and is rejected if no field is left", async () => {
    expect((await get("/publishers?search=z&fields=name")).body.data).toEqual([]);
    expect((await get("/covers?search=6f2c")).body.data).toEqual([]);
    for (const path of ["/tags", "/payments", "/authorships"]) {
      expect(issuesOf((await get(`${path}?search=a`)).body)).toEqual(["/search"]);
    }
  });

  it("C8 accepts one value of each parameter for the read of one row, and no other parameter", async () => {
    expect((await get("/books/1?fields=id&include=publisher")).body.data).toEqual({
      id: 1,
      publisher: expect.anything(),
    });
    for (const query of ["page=1", "title=One", "sort=id", "search=x", "fields=id&fields=id", "__proto__[x]=1", "x"]) {
      expect((await get(`/books/1?${query}`)).status).toBe(400);
    }
  });
});
