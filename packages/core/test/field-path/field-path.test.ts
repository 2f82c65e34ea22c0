import { describe, expect, it } from "vitest";
import { findForbiddenKey } from "../../src/field-path/find-forbidden-key.js";
import { fromJsonPointer, toJsonPointer } from "../../src/field-path/json-pointer.js";
import { PathError } from "../../src/field-path/path-error.js";
import { setAtPath } from "../../src/field-path/set-at-path.js";
import { splitFieldPath } from "../../src/field-path/split-field-path.js";

const issueOf = (act: () => unknown): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof PathError ? error.issue : String(error);
  }
};

describe("splitFieldPath", () => {
  it.each([
    ["a", ["a"]],
    ["a[b][c]", ["a", "b", "c"]],
    ["a.b.c", ["a", "b", "c"]],
    ["a.b[c]", ["a", "b", "c"]],
    ["a[]", ["a", ""]],
    ["a[0][b]", ["a", "0", "b"]],
    ["constructor", ["constructor"]],
  ])("splits %s", (name, path) => {
    expect(splitFieldPath(name)).toEqual(path);
  });

  it.each([
    ["", "malformed"],
    ["[a]", "malformed"],
    ["a[b", "malformed"],
    ["a[b]c", "malformed"],
    ["a[[b]]", "malformed"],
    ["a[][b]", "malformed"],
    ["a..b", "malformed"],
    ["__proto__", "forbidden"],
    ["a[__proto__]", "forbidden"],
    ["a.constructor.prototype", "forbidden"],
    ["a[prototype]", "forbidden"],
    [`a${"[b]".repeat(40)}`, "too-deep"],
  ])("C20 rejects %s as %s", (name, issue) => {
    expect(issueOf(() => splitFieldPath(name))).toBe(issue);
  });

  it("reads only the requested notation", () => {
    expect(splitFieldPath("a.b[c]", { notation: "brackets" })).toEqual(["a.b", "c"]);
    expect(splitFieldPath("a.b[c]", { notation: "dots" })).toEqual(["a", "b[c]"]);
  });
});

describe("setAtPath", () => {
  const build = (...entries: [string, unknown][]) => {
    const target = {};
    for (const [name, value] of entries) setAtPath(target, splitFieldPath(name), value);
    return target;
  };

  it("creates objects and lists on the path", () => {
    expect(build(["a[b][c]", 1], ["a[d]", 2])).toEqual({ a: { b: { c: 1 }, d: 2 } });
    expect(build(["a[0][b]", 1], ["a[1][b]", 2])).toEqual({ a: [{ b: 1 }, { b: 2 }] });
    expect(build(["a[]", 1], ["a[]", 2])).toEqual({ a: [1, 2] });
  });

  it("makes a list of several values at one place", () => {
    expect(build(["a", 1], ["a", 2], ["a", 3])).toEqual({ a: [1, 2, 3] });
  });

  it("treats keys that objects inherit as plain data", () => {
    expect(build(["toString", 1], ["hasOwnProperty[x]", 2])).toEqual({ toString: 1, hasOwnProperty: { x: 2 } });
  });

  it.each<[string, [string, unknown][]]>([
    [
      "conflict",
      [
        ["a", 1],
        ["a[b]", 2],
      ],
    ],
    [
      "conflict",
      [
        ["a[b]", 1],
        ["a", 2],
      ],
    ],
    [
      "conflict",
      [
        ["a[0]", 1],
        ["a[b]", 2],
      ],
    ],
    ["index", [["a[4294967294]", 1]]],
    ["index", [["a[101]", 1]]],
    ["index", [["a[2]", 1]]],
  ])("rejects a %s", (issue, entries) => {
    expect(issueOf(() => build(...entries))).toBe(issue);
  });

  it("C20 never reaches a prototype, also when the path was not split here", () => {
    for (const path of [
      ["__proto__", "x"],
      ["a", "__proto__"],
      ["a", "constructor", "prototype", "x"],
    ]) {
      expect(issueOf(() => setAtPath({}, path, 1))).toBe("forbidden");
    }
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });
});

describe("findForbiddenKey", () => {
  it("finds __proto__ at any depth and returns its place", () => {
    expect(findForbiddenKey(JSON.parse('{"a":[{"b":1},{"__proto__":{}}]}'))).toEqual({
      issue: "forbidden",
      path: ["a", "1", "__proto__"],
    });
    expect(findForbiddenKey({ constructor: 1, a: [null, "x"] })).toBeUndefined();
  });

  it("C5 finds nesting over the limit without overflowing", () => {
    const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(findForbiddenKey(nested(32))).toBeUndefined();
    expect(findForbiddenKey(nested(33))).toMatchObject({ issue: "too-deep" });
    expect(findForbiddenKey(nested(5_000))).toMatchObject({ issue: "too-deep" });
  });
});

it("toJsonPointer escapes by RFC 6901, and fromJsonPointer reverses it", () => {
  expect(toJsonPointer(["a/b", "m~n", 0])).toBe("/a~1b/m~0n/0");
  expect(toJsonPointer([])).toBe("");
  expect(fromJsonPointer("/a~1b/m~0n/~01/0")).toEqual(["a/b", "m~n", "~1", "0"]);
  expect(fromJsonPointer("")).toEqual([]);
});
