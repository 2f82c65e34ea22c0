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
  "refuses %j",
  (raw) => {
    expect(() => readSort(raw)).toThrow(expect.objectContaining({ status: 400, code: "MalformedQuery" }));
  },
);

it("C20 refuses a way through a prototype", () => {
  expect(() => readSort("a.constructor")).toThrow(expect.objectContaining({ status: 400, code: "ForbiddenKey" }));
});

it("C20 takes 5 keys and 3 relations, or as many as the limits say", () => {
  expect(readSort("a,b,c,d,e")).toHaveLength(5);
  expect(() => readSort("a,b,c,d,e,f")).toThrow("sortKeys: at most 5 sort keys fit");
  expect(() => readSort("a,b", { sortKeys: 1 })).toThrow("sortKeys: at most 1 sort");
  expect(() => readSort("a.b.c.d.e")).toThrow("relationHops: at most 3");
  expect(() => readSort(`${"a.".repeat(1_000_000)}b`)).toThrow("relationHops: at most 3");
});
