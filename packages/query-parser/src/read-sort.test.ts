import { expect, it } from "vitest";
import { readSort } from "./read-sort.js";

it.each<[string, string[]]>([
  ["a", ["a asc"]],
  ["-createdAt,title", ["createdAt desc", "title asc"]],
  ["author.name", ["author/name asc"]],
  ["-author__name", ["author/name desc"]],
  ["a.b__c.d", ["a/b/c/d asc"]],
  ["a_", ["a_ asc"]],
])("reads %j", (raw, keys) => {
  expect(readSort(raw).map(({ path, direction }) => `${path.join("/")} ${direction}`)).toEqual(keys);
});

it.each(["", "-", ",", "a,", ",a", ".a", "a.", "a..b", "__a", "a__", "a____b", "__proto__", "a.__proto__"])(
  "rejects %j",
  (raw) => {
    expect(() => readSort(raw)).toThrow(expect.objectContaining({ status: 400, code: "MalformedQuery" }));
  },
);

it("C20 rejects a path through a prototype", () => {
  expect(() => readSort("a.constructor")).toThrow(expect.objectContaining({ status: 400, code: "ForbiddenKey" }));
});

it("C20 accepts 5 keys and 3 relations, or as many as the limits allow", () => {
  expect(readSort("a,b,c,d,e")).toHaveLength(5);
  expect(() => readSort("a,b,c,d,e,f")).toThrow("sortKeys. Maximum: 5 sort keys.");
  expect(() => readSort("a,b", { sortKeys: 1 })).toThrow("sortKeys. Maximum: 1 sort");
  expect(() => readSort("a.b.c.d.e")).toThrow("relationHops. Maximum: 3");
  expect(() => readSort(`${"a.".repeat(1_000_000)}b`)).toThrow("relationHops. Maximum: 3");
});
