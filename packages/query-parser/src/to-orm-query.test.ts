import { expect, it } from "vitest";
import { parseQuery } from "./parse-query.js";
import { toOrmQuery } from "./to-orm-query.js";

const read = (query: string) => toOrmQuery(parseQuery(query));

it.each<[string, unknown]>([
  ["", { where: {} }],
  ["a=1&b__gt=2", { where: { a: 1, b: { gt: 2 } } }],
  ["a=1,2", { where: { a: { in: [1, 2] } } }],
  ["a__isNull=true", { where: { a: null } }],
  ["id__in=1,2&t__hasSome=a", { where: { id: { in: [1, 2] }, t: { hasSome: ["a"] } } }],
  ["sort=-createdAt,author.name", { where: {}, orderBy: [{ createdAt: "desc" }, { author: { name: "asc" } }] }],
  ["sort=a&sort=-b", { where: {}, orderBy: [{ a: "asc" }, { b: "desc" }] }],
  ["limit=5", { where: {}, take: 5 }],
  ["limit=5&page=3", { where: {}, take: 5, skip: 10 }],
  ["page=2", { where: {}, take: 20, skip: 20 }],
  [
    "limit__gte=5&page__isNull=false&sort__in=1",
    { where: { limit: { gte: 5 }, page: { not: null }, sort: { in: [1] } } },
  ],
  ["limit=5&limit__gt=3", { where: { AND: [{ limit: { gt: 3 } }] }, take: 5 }],
  ["or[0][a]=1,2&or[1][b__c]=3,4", { where: { OR: [{ a: { in: [1, 2] } }, { b: { c: { in: [3, 4] } } }] } }],
  ["not[a]=1,2", { where: { NOT: { a: { in: [1, 2] } } } }],
  ["posts__some__tag=a,b", { where: { posts: { some: { tag: { in: ["a", "b"] } } } } }],
  ["author__or__0__name=a,b", { where: { author: { OR: [{ name: { in: ["a", "b"] } }] } } }],
  ["author__is=null", { where: { author: { is: null } } }],
  ["t__equals=1&t__equals=2", { where: { t: { equals: [1, 2] } } }],
])("%s", (query, args) => {
  expect(read(query)).toEqual(args);
});

it("C8 reads the numbers without the switches too", () => {
  const off = { parseNumber: false, parseArray: false };
  expect(toOrmQuery(parseQuery("limit=5&page=2&sort=a,-b", off))).toEqual({
    where: {},
    orderBy: [{ a: "asc" }, { b: "desc" }],
    take: 5,
    skip: 5,
  });
});

it.each([
  "limit=0",
  "limit=101",
  "limit=-1",
  "limit=1.5",
  "limit=abc",
  "limit=",
  "limit=null",
  "limit=true",
  "limit=1,2",
  "limit=05",
  "limit=9007199254740993",
  "page=0",
  "page=-1",
  "page=9007199254740991&limit=100",
  "page=1e400",
])("C8 returns 400 for %s and names the parameter", (query) => {
  const path = query.startsWith("page") ? "/page" : "/limit";
  expect(() => read(query)).toThrow(
    expect.objectContaining({ status: 400, errors: [expect.objectContaining({ in: "query", path })] }),
  );
});

it("accepts its bounds as options", () => {
  expect(toOrmQuery({ page: 2 }, { defaultLimit: 7 })).toEqual({ where: {}, take: 7, skip: 7 });
  expect(toOrmQuery({ limit: 500 }, { maxLimit: 500 }).take).toBe(500);
  expect(() => toOrmQuery({ sort: "a,b" }, { limits: { sortKeys: 1 } })).toThrow("sortKeys");
});

it.each(["sort=", "sort=null", "sort=a,,b"])("C8 returns 400 for %s", (query) => {
  expect(() => read(query)).toThrow(expect.objectContaining({ status: 400, code: "MalformedQuery" }));
});
