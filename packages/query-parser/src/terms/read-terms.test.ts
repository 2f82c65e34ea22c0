import { expect, it } from "vitest";
import { readTerms } from "./read-terms.js";

const pairs = (input: Parameters<typeof readTerms>[0]) => readTerms(input).map(({ name, values }) => [name, ...values]);
const issue = (code: string, path: string, status = 400) =>
  expect.objectContaining({ status, code, errors: [expect.objectContaining({ in: "query", path, code })] });

it.each<[string, string[][]]>([
  ["", []],
  ["?", []],
  ["&&", []],
  ["?a=1", [["a", "1"]]],
  [
    "a=1&b=2",
    [
      ["a", "1"],
      ["b", "2"],
    ],
  ],
  [
    "b=1&a=2&b=3",
    [
      ["b", "1", "3"],
      ["a", "2"],
    ],
  ],
  ["a", [["a", ""]]],
  ["a=", [["a", ""]]],
  ["a=b=c", [["a", "b=c"]]],
  ["a=b+c%2Bd", [["a", "b c+d"]]],
  ["%61%5Bb%5D=%F0%9F%98%80", [["a[b]", "😀"]]],
  [
    "a=?&??b=1",
    [
      ["a", "?"],
      ["??b", "1"],
    ],
  ],
])("reads %j", (query, expected) => {
  expect(pairs(query)).toEqual(expected);
});

it("returns the name as the client wrote it beside its segments", () => {
  expect(readTerms("author__name%5Bicontains%5D=x")).toEqual([
    { name: "author__name[icontains]", segments: ["author", "name", "icontains"], values: ["x"] },
  ]);
});

it("reads URLSearchParams, and the objects of other parsers", () => {
  expect(pairs(new URLSearchParams("a=1&b=%25&a=2"))).toEqual([
    ["a", "1", "2"],
    ["b", "%"],
  ]);
  expect(pairs({ a: ["1", "2"], b: { c: "3", d: { e: "4" } }, "x[y]": "5" })).toEqual([
    ["a", "1", "2"],
    ["b[c]", "3"],
    ["b[d][e]", "4"],
    ["x[y]", "5"],
  ]);
  expect(pairs({ or: [{ a: "1" }, { b__gt: "2" }] })).toEqual([
    ["or[0][a]", "1"],
    ["or[1][b__gt]", "2"],
  ]);
  expect(pairs(Object.assign(Object.create(null), { a: "1" }))).toEqual([["a", "1"]]);
});

it.each([
  [{ a: 1 }],
  [{ a: null }],
  [{ a: undefined }],
  [{ a: true }],
  [{ a: {} }],
  [{ a: [] }],
  [{ a: new Date(0) }],
  [{ a: Symbol.iterator }],
  [{ a: () => "x" }],
  [{ a: ["x", 1] }],
  [{ a: "\ud800" }],
  [{ "\ud800": "a" }],
  [{ a: new Map() }],
  [{ a: "x".concat("\udc00") }],
  [[]],
  [new Date(0)],
])("rejects an object that contains anything but text, lists and plain objects: %s", (input) => {
  expect(() => readTerms(input as Record<string, unknown>)).toThrow(expect.objectContaining({ status: 400 }));
});

it("rejects an object that contains itself", () => {
  const input: Record<string, unknown> = {};
  input.a = input;
  input.b = [input, input];
  expect(() => readTerms(input)).toThrow(issue("MalformedQuery", expect.any(String) as unknown as string));
});

it.each(["%", "%z", "%zz", "%ff", "%C0%AF", "%ED%A0%80", "%F5%80%80%80", "%E2%82"])(
  "rejects %j, which is not UTF-8 text, in a value and in a name",
  (code) => {
    expect(() => readTerms(`a=${code}`)).toThrow(issue("MalformedQuery", "/a"));
    expect(() => readTerms(`${code}=a`)).toThrow(expect.objectContaining({ status: 400, code: "MalformedQuery" }));
  },
);

it("rejects a lone surrogate", () => {
  expect(() => readTerms("a=\ud800")).toThrow(issue("MalformedQuery", ""));
});

it("C20 rejects __proto__ in every form of input", () => {
  const own = JSON.parse('{ "__proto__": { "admin": "1" } }') as Record<string, unknown>;
  for (const input of ["__proto__[a]=1", "a[__proto__][b]=1", new URLSearchParams("__proto__=1"), own]) {
    expect(() => readTerms(input)).toThrow(expect.objectContaining({ status: 400, code: "ForbiddenKey" }));
  }
});

it("C20 returns 414 over 8 KiB, counted in bytes", () => {
  const fits = `a=${"x".repeat(8190)}`;
  expect(readTerms(fits)).toHaveLength(1);
  expect(() => readTerms(`${fits}x`)).toThrow(issue("UriTooLong", "", 414));
  expect(() => readTerms(`a=${"é".repeat(4096)}`)).toThrow(issue("UriTooLong", "", 414));
  expect(() => readTerms(new URLSearchParams({ a: "x".repeat(8191) }))).toThrow(issue("UriTooLong", "", 414));
  expect(readTerms(`${fits}x`, { limits: { urlBytes: 9000 } })).toHaveLength(1);
});

it("C20 rejects the 101st term and names the limit; the parameters of a list do not count", () => {
  const terms = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join("&");
  expect(readTerms(`${terms(100)}&sort=a&limit=5&page=1`)).toHaveLength(103);
  expect(() => readTerms(terms(101))).toThrow("The query exceeds the limit terms. Maximum: 100 filter terms.");
  expect(() => readTerms(terms(101))).toThrow(issue("QueryLimitExceeded", ""));
  expect(readTerms(terms(101), { limits: { terms: 101 } })).toHaveLength(101);
});

it("C20 rejects the 501st value of one name", () => {
  expect(readTerms("a=1&".repeat(500))[0]?.values).toHaveLength(500);
  expect(() => readTerms("a=1&".repeat(501))).toThrow(issue("QueryLimitExceeded", "/a"));
  expect(() => readTerms({ a: Array(501).fill("1") })).toThrow(issue("QueryLimitExceeded", "/a"));
});

it("C20 rejects 20,000 terms without reading them", () => {
  const query = Array.from({ length: 20_000 }, (_, i) => `or[${i}][a]=${i}`).join("&");
  expect(() => readTerms(query)).toThrow(issue("UriTooLong", "", 414));
  expect(() => readTerms(query, { limits: { urlBytes: 1e9 } })).toThrow(issue("QueryLimitExceeded", ""));
});

it("truncates a long name in its error", () => {
  const name = `${"x".repeat(5000)}]`;
  try {
    readTerms(name);
    expect.unreachable();
  } catch (error) {
    expect((error as Error).message.length).toBeLessThan(200);
  }
});
