import { afterAll, beforeAll, expect, inject, it } from "vitest";
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
  ["5 groups", groups(6), 400, "TooDeep", "5"],
  ["3 relations of a filter", "sequel__sequel__sequel__sequel__id=1", 400, "TooDeep", "3"],
  ["3 relations of a sort", "sort=sequel.sequel.sequel.sequel.id", 400, "QueryLimitExceeded", "3"],
  ["100 rows of a page", "limit=101", 400, "OutOfRange", "100"],
  ["3 relations of an include", "include=sequel.sequel.sequel.sequel", 400, "TooDeep", "3"],
])("C20 refuses more than %s, and says what would fit", async (_title, query, status, code, fits) => {
  const answer = await shelf.call("GET", `/books?${query}`);
  expect([answer.status, [answer.body.code, answer.body.errors?.[0]?.code]]).toEqual([
    status,
    expect.arrayContaining([code]),
  ]);
  expect(answer.body.detail).toContain(fits);
});
