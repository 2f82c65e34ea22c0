import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { defaultModelRouterSettings } from "../src/index.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());

const groups = (depth: number): string => `or[0][and][0]${"[or][0]".repeat(depth - 2)}[id]=1`;
it.each<[string, string, number, string, string]>([
  ["8192 bytes", `title=${"x".repeat(8200)}`, 414, "UriTooLong", "8192"],
  ["100 terms", Array.from({ length: 101 }, (_, n) => `or[${n}][id]=1`).join("&"), 400, "QueryLimitExceeded", "100"],
  ["100 conditions by one name", Array(101).fill("id__gt=1").join("&"), 400, "TooManyTerms", "100"],
  ["500 list items", `id__in=${Array(501).fill(1).join(",")}`, 400, "QueryLimitExceeded", "500"],
  ["5 sort keys", "sort=id,title,pages,isbn,score,price", 400, "QueryLimitExceeded", "5"],
  ["5 groups", groups(6), 400, "QueryLimitExceeded", "5"],
  ["3 relations of a filter", "sequel__sequel__sequel__sequel__id=1", 400, "QueryLimitExceeded", "3"],
  ["3 relations of a sort", "sort=sequel.sequel.sequel.sequel.id", 400, "QueryLimitExceeded", "3"],
  ["100 rows of a page", "limit=101", 400, "OutOfRange", "100"],
  ["3 relations of an include", "include=sequel.sequel.sequel.sequel", 400, "TooDeep", "3"],
])("C20 rejects more than %s, and names the maximum", async (_title, query, status, code, fits) => {
  const response = await shelf.call("GET", `/books?${query}`);
  expect([response.status, [response.body.code, response.body.errors?.[0]?.code]]).toEqual([
    status,
    expect.arrayContaining([code]),
  ]);
  expect(response.body.detail).toContain(fits);
});

const deepSearch = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `or[${n}][authorships__payments__authorship__writer__name__icontains]=zz`,
  ).join("&");
const repeated = (term: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `or[${n}]${term}`).join("&");

describe("C59 a filter costs what its relations and its searches cost", () => {
  it("rejects a hundred searches behind relations, with their cost and the maximum", async () => {
    const other = await shelf.serve({ query: { ...defaultModelRouterSettings.query, relationHops: 4 } });
    const { status, body } = await other.call("GET", `/books?${deepSearch(70)}`);
    expect([status, body.code]).toEqual([400, "QueryLimitExceeded"]);
    // A text, behind two to-many relations and two to-one, which all share.
    expect(body.detail).toContain(`costs ${70 * 4 * 4 * 4 * 2 * 2 + 2 * (4 - 2) ** 2}. Maximum: 1000 (filterCost)`);
  });

  it.each<[string, string, number]>([
    ["100 plain conditions", repeated("[pages]=1", 100), 200],
    ["100 conditions behind a relation to many", repeated("[tags__name]=a", 100), 200],
    ["20 searches behind a relation to many", repeated("[tags__name__icontains]=a", 20), 200],
    ["100 searches in the row itself", repeated("[title__icontains]=a", 100), 200],
    ["100 searches behind a relation to many", repeated("[tags__name__icontains]=a", 100), 400],
    ["10 searches behind three relations", repeated("[authorships__book__tags__name__contains]=a", 10), 400],
  ])("%s", async (_title, query, status) => {
    expect((await shelf.call("GET", `/books?${query}`)).status).toBe(status);
  });

  it("applies to bulk changes, to search and to prismaQueryOptions, including their trees", async () => {
    const query = { ...defaultModelRouterSettings.query, filterCost: 7 };
    const strict = await shelf.serve({ query, allowDangerousOrmQueryOptions: true });
    const options = (value: unknown) => `prismaQueryOptions=${encodeURIComponent(JSON.stringify(value))}`;
    const calls: readonly (readonly [string, string])[] = [
      ["GET", "/books?search=x"],
      ["DELETE", "/books/many?tags__name__contains=x"],
      ["GET", `/books?${options({ where: { tags: { some: { name: { contains: "x" } } } } })}`],
      ["GET", `/books?${options({ include: { tags: { where: { name: { contains: "x" } } } } })}`],
      [
        "GET",
        `/books/1?${options({ select: { _count: { select: { tags: { where: { name: { contains: "x" } } } } } } })}`,
      ],
    ];
    for (const [method, path] of calls) {
      const { status, body } = await strict.call(method, path);
      expect([path, status, body?.code]).toEqual([path, 400, "QueryLimitExceeded"]);
    }
    expect((await strict.call("GET", "/books?title__contains=x&pages=1")).status).toBe(200);
  });
});

describe("C59 the rows of a list and their total", () => {
  const counts = (statements: readonly string[]) => statements.filter((text) => /COUNT\(/i.test(text));

  beforeAll(async () => {
    await shelf.sql(`INSERT INTO "Book" (title, pages, "updatedAt") VALUES ('one', 1, now()), ('two', 2, now())`);
  });
  afterAll(async () => {
    await shelf.sql('DELETE FROM "Book"');
  });

  it("are queried in sequence: if the rows fail, they are not counted", async () => {
    const list = () => shelf.call("GET", "/books?pages__gte=0&limit=1");
    expect(counts(await shelf.statements(list))).toHaveLength(1);
    await shelf.sql('ALTER TABLE "Book" RENAME COLUMN "title" TO "elsewhere"');
    try {
      let status = 0;
      const statements = await shelf.statements(async () => {
        status = (await list()).status;
      });
      expect([status, counts(statements)]).toEqual([500, []]);
    } finally {
      await shelf.sql('ALTER TABLE "Book" RENAME COLUMN "elsewhere" TO "title"');
    }
  });

  it("need no count if the rows are the last ones", async () => {
    const totals: unknown[] = [];
    const call = (query: string) => async () => {
      totals.push((await shelf.call("GET", `/books?${query}`)).body.meta.total);
    };
    expect(counts(await shelf.statements(call("limit=100")))).toEqual([]);
    expect(counts(await shelf.statements(call("limit=100&page=2")))).toHaveLength(1);
    expect(counts(await shelf.statements(call("limit=100&cursor=")))).toEqual([]);
    expect(new Set(totals).size).toBe(1);
  });
});
