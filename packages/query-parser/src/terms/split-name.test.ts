import { expect, it } from "vitest";
import { readSort } from "../read-sort.js";
import { splitName } from "./split-name.js";

it.each<[string, string[]]>([
  ["a", ["a"]],
  ["a__b", ["a", "b"]],
  ["a[b]", ["a", "b"]],
  ["a[b][c]", ["a", "b", "c"]],
  ["or[0][title__contains]", ["or", "0", "title", "contains"]],
  ["author__name[icontains]", ["author", "name", "icontains"]],
  ["author[name]__icontains", ["author", "name", "icontains"]],
  ["a[]", ["a", ""]],
  ["a__b[]", ["a", "b", ""]],
  ["type_", ["type_"]],
  ["_id", ["_id"]],
  ["type___gte", ["type_", "gte"]],
  ["created_at__gte", ["created_at", "gte"]],
  ["constructor", ["constructor"]],
  ["constructor[]", ["constructor", ""]],
  ["a.b", ["a.b"]],
])("splits %j", (name, segments) => {
  expect(splitName(name, true)).toEqual(segments);
});

it("does not split underscores when the switch is off", () => {
  expect(splitName("a__b[c__d]", false)).toEqual(["a__b", "c__d"]);
  expect(splitName("__a__", false)).toEqual(["__a__"]);
});

it.each([
  "",
  "__a",
  "___a",
  "a__",
  "a___",
  "a____b",
  "a[__b]",
  "a[b__]",
  "a[b]__",
  "__",
  "____",
  "[a]",
  "[]",
  "a]",
  "a[",
  "a[b",
  "a[b]c",
  "a[b]]",
  "a[b[c]]",
  "a[][b]",
  "a[]__b",
  "a]b[c]",
  "a[b]c__d",
])("rejects %j", (name) => {
  expect(() => splitName(name, true)).toThrow(expect.objectContaining({ status: 400, code: "MalformedQuery" }));
});

it.each([
  "__proto__",
  "a[__proto__]",
  "__proto__[a]",
  "a____proto__",
  "a__proto__b",
  "a[constructor]",
  "constructor[prototype]",
  "a__prototype__b",
  "constructor__x",
])("C20 rejects %s", (name) => {
  for (const underscores of [true, false]) {
    if (!underscores && !name.includes("[") && !name.includes("__proto__")) continue;
    expect(() => splitName(name, underscores)).toThrow(expect.objectContaining({ status: 400, code: "ForbiddenKey" }));
  }
});

it.each<[string, string[]]>([
  ["created__at", ["created__at"]],
  ["created__at__gte", ["created__at", "gte"]],
  ["created__at[gte]", ["created__at", "gte"]],
  ["author__created__at__gte", ["author", "created__at", "gte"]],
  ["or[0][created__at]", ["or", "0", "created__at"]],
  ["created__at__utc", ["created__at__utc"]],
  ["created__at__utc__lt", ["created__at__utc", "lt"]],
  ["created__atlas", ["created", "atlas"]],
  ["ends__", ["ends__"]],
  ["ends____gte", ["ends__", "gte"]],
])("C94 treats a name that contains the separator as one segment: %s", (name, segments) => {
  const joined = new Set(["created__at", "created__at__utc", "ends__"]);
  expect(splitName(name, true, joined)).toEqual(segments);
  if (!/[[\]]/.test(name)) expect(readSort(`-${name}`, {}, joined)).toEqual([{ path: segments, direction: "desc" }]);
});
