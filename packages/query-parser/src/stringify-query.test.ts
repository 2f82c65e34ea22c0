import { expect, it } from "vitest";
import { parseQuery } from "./parse-query.js";
import type { ParsedQuery } from "./parsed-query.js";
import { stringifyQuery } from "./stringify-query.js";

it.each<[ParsedQuery, string, string]>([
  [{}, "", ""],
  [{ age: { gte: 5, lt: 9 } }, "age__gte=5&age__lt=9", "age[gte]=5&age[lt]=9"],
  [{ name: { contains: "x", mode: "insensitive" } }, "name__icontains=x", "name[icontains]=x"],
  [{ name: { equals: "x", mode: "insensitive" } }, "name__iequals=x", "name[iequals]=x"],
  [{ author: { name: "ann lee" } }, "author__name=ann%20lee", "author[name]=ann%20lee"],
  [{ OR: [{ a: 1 }, { b: { gt: 2 } }] }, "or__0__a=1&or__1__b__gt=2", "or[0][a]=1&or[1][b][gt]=2"],
  [{ NOT: { a: null } }, "not__a=null", "not[a]=null"],
  [{ posts: { some: { AND: [{ a: 1 }] } } }, "posts__some__and__0__a=1", "posts[some][and][0][a]=1"],
  [{ a: [1, "x"], b: [2], c: [] }, "a=1,x&b[]=2&c[]=", "a=1,x&b[]=2&c[]="],
  [{ id: { in: [1] }, x: { notIn: [] } }, "id__in=1&x__notIn=", "id[in]=1&x[notIn]="],
  [{ t: { equals: [1, 2] } }, "t__equals[]=1&t__equals[]=2", "t[equals][]=1&t[equals][]=2"],
  [{ sort: "-a", limit: 5 }, "sort=-a&limit=5", "sort=-a&limit=5"],
  [{ type_: { gte: 1 }, _: { gte: 1 } }, "type___gte=1&_[gte]=1", "type_[gte]=1&_[gte]=1"],
  [{ a: { _b: 1, c: 2 } }, "a[_b]=1&a__c=2", "a[_b]=1&a[c]=2"],
  [{ a: { proto: { b: 1 } } }, "a[proto][b]=1", "a[proto][b]=1"],
])("C21 writes %j", (query, underscore, brackets) => {
  expect(stringifyQuery(query)).toBe(underscore);
  expect(stringifyQuery(query, { notation: "brackets" })).toBe(brackets);
  expect(parseQuery(underscore)).toEqual(query);
  expect(parseQuery(brackets)).toEqual(query);
});

it.each<[ParsedQuery, string]>([
  [{ a: "5" }, 'a="5"'],
  [{ a: "true" }, 'a="true"'],
  [{ a: "null" }, 'a="null"'],
  [{ a: "x,y" }, 'a="x,y"'],
  [{ a: '"x"' }, 'a="\\"x\\""'],
  [{ a: ["5", 5, "", "x,y", "\\"] }, 'a="5",5,"","x,y","\\\\"'],
  [{ a: { contains: "5" } }, "a__contains=5"],
  [{ a: { contains: "x,y" } }, "a__contains=x,y"],
  [{ a: { equals: "x,y" } }, "a__equals=x,y"],
  [{ a: "007" }, "a=007"],
  [{ a: "" }, "a="],
  [{ a: "50%&=+#é" }, "a=50%&=+#é"],
])("C21 quotes %j only where it would be misread", (query, written) => {
  expect(decodeURIComponent(stringifyQuery(query))).toBe(written);
  expect(parseQuery(stringifyQuery(query))).toEqual(query);
});

it("C21 writes for the switches of the parser", () => {
  const off = { parseNull: false, parseArray: false, parseNumber: false, parseDoubleUnderscore: false };
  const query: ParsedQuery = { a: null, b: { not: null }, c: ["x", "y,z"], d: "5", e__f: "1", g: { is: null } };
  const text = stringifyQuery(query, off);
  expect(text).toBe("a[isNull]=true&b[isNull]=false&c[]=x&c[]=y,z&d=5&e__f=1&g[is]=null");
  expect(parseQuery(text, off)).toEqual(query);
});

it.each([
  [{ a: undefined }],
  [{ a: Number.NaN }],
  [{ a: Number.POSITIVE_INFINITY }],
  [{ a: 2 ** 53 }],
  [{ a: 1n }],
  [{ a: Symbol("x") }],
  [{ a: [{ b: 1 }] }],
  [{ a: [[1]] }],
  [{ a: {} }],
  [{ AND: [] }],
  [{ OR: [{}] }],
  [{ OR: [1] }],
  [{ NOT: 1 }],
  [{ NOT: {} }],
  [{ or: { a: 1 } }],
  [{ a: { gte: { b: 1 } } }],
  [{ a: { in: 1 } }],
  [{ a: { some: 1 } }],
  [{ a: { some: null } }],
  [{ a: { isEmpty: 1 } }],
  [{ a: { gt: 1, mode: "insensitive" } }],
  [{ "": 1 }],
  [{ "a[b": 1 }],
  [{ a__b: 1 }],
  [{ a: { constructor: 1 } }],
  [JSON.parse('{ "__proto__": 1 }')],
  [{ a: "\ud800" }],
])("C21 throws a TypeError for what a query cannot represent: %s", (query) => {
  expect(() => stringifyQuery(query as unknown as ParsedQuery)).toThrow(TypeError);
});
