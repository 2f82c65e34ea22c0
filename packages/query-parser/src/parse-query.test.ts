import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "./parse-query.js";
import type { ExpectedValue } from "./values/expected-value.js";

const rejected = (code: string, path?: string) =>
  expect.objectContaining({
    status: 400,
    code,
    ...(path === undefined ? {} : { errors: [expect.objectContaining({ in: "query", path, code })] }),
  });

describe("double-underscore rules", () => {
  it.each<[string, unknown]>([
    ["age__gte=5", { age: { gte: 5 } }],
    ["age__gte=5&age__lt=9", { age: { gte: 5, lt: 9 } }],
    ["name__equals=ann", { name: { equals: "ann" } }],
    ["name__contains=x", { name: { contains: "x" } }],
    ["name__icontains=x", { name: { contains: "x", mode: "insensitive" } }],
    ["name__icontains=x&name__istartsWith=y", { name: { contains: "x", startsWith: "y", mode: "insensitive" } }],
    ["name__iequals=x", { name: { equals: "x", mode: "insensitive" } }],
    ["a__b__gte=1", { a: { b: { gte: 1 } } }],
    ["a__b__op=v", { a: { b: { op: "v" } } }],
    ["a__b=1", { a: { b: 1 } }],
    ["age[gte]=5", { age: { gte: 5 } }],
    ["age[gte]=5&age__lt=9", { age: { gte: 5, lt: 9 } }],
    ["author[name][icontains]=x", { author: { name: { contains: "x", mode: "insensitive" } } }],
    ["author__name[icontains]=x", { author: { name: { contains: "x", mode: "insensitive" } } }],
    ["age__gte=5&sort=-createdAt&limit=20", { age: { gte: 5 }, sort: "-createdAt", limit: 20 }],
    ["posts__some__title__contains=x", { posts: { some: { title: { contains: "x" } } } }],
    ["posts__some__a=1&posts__none__a=2", { posts: { some: { a: 1 }, none: { a: 2 } } }],
    ["author__is=null", { author: { is: null } }],
    ["author__isNot=null", { author: { isNot: null } }],
    ["tags__has=a&tags__isEmpty=false", { tags: { has: "a", isEmpty: false } }],
  ])("%s", (query, parsed) => {
    expect(parseQuery(query)).toEqual(parsed);
  });
});

describe("C19 values", () => {
  it.each<[string, unknown]>([
    ["a=5&b=-0.5&c=007&d=1e400", { a: 5, b: -0.5, c: "007", d: "1e400" }],
    ["a=9007199254740993&b=+5&c=", { a: "9007199254740993", b: " 5", c: "" }],
    ["a=true&b=false&c=null&d=TRUE", { a: true, b: false, c: null, d: "TRUE" }],
    ["a=1,x,null", { a: [1, "x", null] }],
    ["a=x%5C,y", { a: "x,y" }],
    ["a=x%5C,y,z", { a: ["x,y", "z"] }],
    ['a="5"&b="null"&c="a,b"', { a: "5", b: "null", c: "a,b" }],
    ['a="5",5', { a: ["5", 5] }],
    ['a=say "hi"', { a: 'say "hi"' }],
    ["a=1&a=2", { a: [1, 2] }],
    ["a=1,2&a=3", { a: [1, 2, 3] }],
    ["a=&a=1", { a: ["", 1] }],
    ["a[]=1", { a: [1] }],
    ["a[]=", { a: [] }],
    ["a[0]=x&a[1]=y", { a: ["x", "y"] }],
    ["id__in=1", { id: { in: [1] } }],
    ["id__in=1,2&id__in=3", { id: { in: [1, 2, 3] } }],
    ["id[in][]=1&id[in][]=2", { id: { in: [1, 2] } }],
    ["id[in][0]=1&id[in][1]=2", { id: { in: [1, 2] } }],
    ["id__notIn=", { id: { notIn: [] } }],
    ['id__in=""', { id: { in: [""] } }],
    ["tags__hasSome=a,b&tags__hasEvery=c", { tags: { hasSome: ["a", "b"], hasEvery: ["c"] } }],
    ["t__contains=a,b", { t: { contains: "a,b" } }],
    ["t__contains=5&t__startsWith=true", { t: { contains: "5", startsWith: "true" } }],
    ['t__contains="5"', { t: { contains: "5" } }],
    ["t__equals=a,b", { t: { equals: "a,b" } }],
    ["t__equals=1&t__equals=2", { t: { equals: [1, 2] } }],
    ["a__isNull=true", { a: null }],
    ["a__isNull=false", { a: { not: null } }],
  ])("%s", (query, parsed) => {
    expect(parseQuery(query)).toEqual(parsed);
  });

  const query = 'a=1&b=true&c=null&d=x,y&e__gte=5&f="1"';
  it.each<[Parameters<typeof parseQuery>[1], unknown]>([
    [{ parseNumber: false }, { a: "1", b: true, c: null, d: ["x", "y"], e: { gte: "5" }, f: "1" }],
    [{ parseBoolean: false }, { a: 1, b: "true", c: null, d: ["x", "y"], e: { gte: 5 }, f: "1" }],
    [{ parseNull: false }, { a: 1, b: true, c: "null", d: ["x", "y"], e: { gte: 5 }, f: "1" }],
    [{ parseArray: false }, { a: 1, b: true, c: null, d: "x,y", e: { gte: 5 }, f: "1" }],
    [{ parseDoubleUnderscore: false }, { a: 1, b: true, c: null, d: ["x", "y"], e__gte: 5, f: "1" }],
    [
      { parseNumber: false, parseBoolean: false, parseNull: false, parseArray: false, parseDoubleUnderscore: false },
      { a: "1", b: "true", c: "null", d: "x,y", e__gte: "5", f: "1" },
    ],
  ])("each switch turns its part off: %j", (options, parsed) => {
    expect(parseQuery(query, options)).toEqual(parsed);
  });

  it("returns a list for a list operator without parseArray too", () => {
    expect(parseQuery("id__in=1,2&id__in=3&x=a\\,b", { parseArray: false })).toEqual({
      id: { in: ["1,2", 3] },
      x: "a\\,b",
    });
  });

  it("brackets mean the same without parseDoubleUnderscore", () => {
    expect(parseQuery("a[b__c][gte]=1", { parseDoubleUnderscore: false })).toEqual({ a: { b__c: { gte: 1 } } });
  });
});

describe("C9 groups", () => {
  it.each<[string, unknown]>([
    ["or[0][title__contains]=a&or[1][views__gt]=10", { OR: [{ title: { contains: "a" } }, { views: { gt: 10 } }] }],
    ["or__0__a=1&or__1__a=2", { OR: [{ a: 1 }, { a: 2 }] }],
    ["or[0][a]=1&or[0][b]=2&or[1][c]=3", { OR: [{ a: 1, b: 2 }, { c: 3 }] }],
    ["or[7][a]=1&or[2][a]=2", { OR: [{ a: 2 }, { a: 1 }] }],
    ["and[0][a]=1&and[1][a]=2", { AND: [{ a: 1 }, { a: 2 }] }],
    ["not[0][a]=1", { NOT: [{ a: 1 }] }],
    ["not[a]=1&not[b__gt]=2", { NOT: { a: 1, b: { gt: 2 } } }],
    [
      "or[0][and][0][a]=1&or[0][and][1][b]=2&or[1][not][c]=3",
      { OR: [{ AND: [{ a: 1 }, { b: 2 }] }, { NOT: { c: 3 } }] },
    ],
    ["author__or__0__name=a&author__or__1__age=2", { author: { OR: [{ name: "a" }, { age: 2 }] } }],
    ["posts[some][not][title]=x", { posts: { some: { NOT: { title: "x" } } } }],
    ["age__not=5", { age: { not: 5 } }],
    ["a=1&or[0][b]=2", { a: 1, OR: [{ b: 2 }] }],
  ])("%s", (query, parsed) => {
    expect(parseQuery(query)).toEqual(parsed);
  });

  it.each([
    "or=1",
    "or[0]=1",
    "and=",
    "not",
    "or[]=1",
    "or[0][]=1",
    "or[0][and]=1",
    "author__or=1",
    "author__and__0=1",
  ])("an empty group is 400: %s", (query) => {
    expect(() => parseQuery(query)).toThrow(rejected("EmptyGroup"));
  });

  it("returns 400 for a group with and without numbers, and for an OR without them", () => {
    expect(() => parseQuery("not[a]=1&not[0][b]=2")).toThrow(rejected("ConflictingFilters", "/not[0][b]"));
    expect(() => parseQuery("or[a]=1&or[b]=2")).toThrow(rejected("MalformedQuery", "/or[a]"));
  });

  it("returns 400 for a group in capitals, or a number in place of a field, so that neither is read as a field", () => {
    for (const query of ["OR[0][a]=1", "a[AND][0][b]=1", "Not[a]=1", "a[0][b]=1", "0[b]=1", "0__gt=1"]) {
      expect(() => parseQuery(query)).toThrow(rejected("MalformedQuery"));
    }
  });
});

describe("C18 filters of one field", () => {
  it("turns an exact and an insensitive operator into separate AND entries", () => {
    expect(parseQuery("name__startsWith=A&name__icontains=b&name__endsWith=c")).toEqual({
      AND: [{ name: { startsWith: "A", endsWith: "c" } }, { name: { contains: "b", mode: "insensitive" } }],
    });
    expect(parseQuery("name=A&name__icontains=b&and[0][x]=1")).toEqual({
      AND: [{ x: 1 }, { name: "A" }, { name: { contains: "b", mode: "insensitive" } }],
    });
  });

  it("keeps the entries inside the relation, so that they apply to the same row", () => {
    expect(parseQuery("posts__some__title__contains=a&posts__some__title__icontains=b")).toEqual({
      posts: { some: { AND: [{ title: { contains: "a" } }, { title: { contains: "b", mode: "insensitive" } }] } },
    });
  });

  it.each<[string, unknown]>([
    ["a=1&a__gt=2", { a: { equals: 1, gt: 2 } }],
    ["a=1,2&a__gt=0", { a: { in: [1, 2], gt: 0 } }],
    ["a__isNull=false&a__gt=0", { a: { not: null, gt: 0 } }],
    ["a__isNull=true&a__gt=0", { a: { equals: null, gt: 0 } }],
    ["a=1&a__equals=2", { AND: [{ a: 1 }, { a: { equals: 2 } }] }],
    ["a__not=5&a__isNull=false", { AND: [{ a: { not: 5 } }, { a: { not: null } }] }],
    ["a__b=1&a__is__c=2", { AND: [{ a: { b: 1 } }, { a: { is: { c: 2 } } }] }],
    ["limit=5&limit__gt=3", { limit: 5, AND: [{ limit: { gt: 3 } }] }],
    ["limit__gt=3", { limit: { gt: 3 } }],
  ])("parses %s, with and without limit=, to one meaning", (query, parsed) => {
    expect(parseQuery(query)).toEqual(parsed);
  });

  it("returns 400 for a field with a value and nested fields, in either order", () => {
    expect(() => parseQuery("a=1&a__b=2")).toThrow(rejected("ConflictingFilters", "/a__b"));
    expect(() => parseQuery("a__b=2&a=1")).toThrow(rejected("ConflictingFilters", "/a__b"));
    expect(() => parseQuery("a__gt=1&a[b]=2")).toThrow(rejected("ConflictingFilters", "/a[b]"));
    expect(() => parseQuery("a__contains=x&a__mode=insensitive")).toThrow(rejected("ConflictingFilters"));
  });

  it("rejects an object as an operand", () => {
    for (const query of ["age[gte][x]=1", "age__in__x=1", "age[contains][toString]=1", "a[equals][b][c]=1"]) {
      expect(() => parseQuery(query)).toThrow(rejected("InvalidOperand"));
    }
    for (const query of [
      "title[_ref]=secret&title[_container]=User",
      "a[gte][_ref]=b",
      "a[$type]=FieldRef",
      "_ref=1",
    ]) {
      expect(() => parseQuery(query)).toThrow(expect.objectContaining({ status: 400 }));
    }
    expect(() => parseQuery({ title: { _ref: "secret", _container: "User" } })).toThrow(rejected("ForbiddenKey"));
    expect(() => parseQuery({ tags: [{ id: "1" }] })).toThrow(rejected("MalformedQuery"));
  });

  it.each(["a__isNull=1", "a__isNull=", "a__isNull=true&a__isNull=false", "a__isEmpty=yes", "a[isEmpty][]=true"])(
    "%s is 400: it must be true or false",
    (query) => {
      expect(() => parseQuery(query)).toThrow(rejected("InvalidOperand"));
    },
  );

  it.each(["posts__some=1", "posts__every=null", "author__is=1", "author__is=", "author__isNot=null,null"])(
    "%s is 400: it needs a field",
    (query) => {
      expect(() => parseQuery(query)).toThrow(rejected("InvalidOperand"));
    },
  );
});

describe("C20 limits", () => {
  const nested = (depth: number) =>
    `${"or[0]".repeat(depth).replaceAll("]or[", "][or][").replace("[or]", "[or]")}[a]=1`;

  it("accepts 5 nested groups", () => {
    expect(parseQuery(nested(5))).toEqual({ OR: [{ OR: [{ OR: [{ OR: [{ OR: [{ a: 1 }] }] }] }] }] });
    expect(() => parseQuery(nested(6))).toThrow("groups. Maximum: 5 nested logical groups.");
    expect(() => parseQuery(nested(2), { limits: { groups: 1 } })).toThrow("groups. Maximum: 1");
  });

  it("counts the AND that two modes need as a group", () => {
    const both = nested(5).replace("[a]=1", "[a__contains]=1");
    expect(() => parseQuery(`${both}&${both.replace("contains", "icontains")}`)).toThrow("groups. Maximum: 5");
  });

  it("accepts 3 relations on the path to a field; operators, groups and numbers do not count", () => {
    expect(parseQuery("a__b__c__d__gte=1")).toEqual({ a: { b: { c: { d: { gte: 1 } } } } });
    expect(parseQuery("or__0__a__some__b__is__c__none__d__gte=1")).toEqual({
      OR: [{ a: { some: { b: { is: { c: { none: { d: { gte: 1 } } } } } } } }],
    });
    expect(() => parseQuery("a__b__c__d__e=1")).toThrow("relationHops. Maximum: 3 nested relations.");
    expect(() => parseQuery(`${"a__".repeat(2000)}b=1`)).toThrow("relationHops. Maximum: 3");
  });

  it("accepts 500 items of one list in every notation", () => {
    const items = (count: number) => Array(count).fill("1").join(",");
    expect(parseQuery(`id__in=${items(500)}`)).toEqual({ id: { in: Array(500).fill(1) } });
    expect(() => parseQuery(`id__in=${items(501)}`)).toThrow("listItems. Maximum: 500 values in one list.");
    expect(() => parseQuery(`id=${items(300)}&id=${items(300)}`)).toThrow("listItems");
    expect(() => parseQuery(`id__in=${items(300)}&id[in]=${items(300)}`)).toThrow("listItems");
  });

  it("accepts 5 sort keys", () => {
    expect(() => parseQuery("sort=a,b,c,d,e,f")).toThrow("sortKeys. Maximum: 5 sort keys.");
  });

  it("treats keys that objects inherit as plain data", () => {
    const parsed = parseQuery("toString=1&hasOwnProperty=2&constructor=3&valueOf__gt=4");
    expect(Object.entries(parsed)).toEqual([
      ["toString", 1],
      ["hasOwnProperty", 2],
      ["constructor", 3],
      ["valueOf", { gt: 4 }],
    ]);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });
});

describe("C63 expected values", () => {
  const text: ExpectedValue = { scalars: new Set(["text"]) };
  const number: ExpectedValue = { scalars: new Set(["number"]) };
  const expected: ExpectedValue = {
    fields: new Map([
      ["t", text],
      ["n", number],
      ["l", { list: { first: [], rest: text } }],
      ["OR", { list: { first: [], rest: { fields: new Map([["t", text]]) } } }],
    ]),
  };
  const off = { parseNumber: false, parseBoolean: false, parseNull: false, parseArray: false };

  it.each([
    ["t=5&n=5&l=5", {}, { t: "5", n: 5, l: ["5"] }],
    ["t=1,2&l=1,2", {}, { t: "1,2", l: ["1", "2"] }],
    ["or[0][t]=1&or[1][x]=1", {}, { OR: [{ t: "1" }, { x: 1 }] }],
    ["n=5&l=1,2&x=5", off, { n: 5, l: ["1,2"], x: "5" }],
    ["t__gte=5", {}, { t: { gte: 5 } }],
  ])("C63 reads %s", (query, options, result) => {
    expect(parseQuery(query, options, expected)).toEqual(result);
  });

  it("C63 returns any text unchanged where text is expected", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }).filter((value) => !value.startsWith('"')),
        (value) => {
          expect(parseQuery(`t=${encodeURIComponent(value)}`, undefined, expected)).toEqual({ t: value });
        },
      ),
      { numRuns: 200 },
    );
  });
});
