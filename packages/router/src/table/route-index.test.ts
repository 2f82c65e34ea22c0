import { describe, expect, it } from "vitest";
import type { RoutePattern } from "./express-layers.js";
import { makeRouteIndex } from "./route-index.js";

function indexed(...patterns: (RoutePattern | RoutePattern[])[]) {
  const index = makeRouteIndex();
  for (const [position, pattern] of patterns.entries()) index.add([pattern].flat(), position);
  return index;
}

describe("makeRouteIndex", () => {
  it("finds complete paths, parameters, open patterns and expressions, in order", () => {
    const index = indexed("/a/b", "/a/:x", "/a/*rest", "/c{/:x}", /x/, ["/a", "/b"], ["/a", "/"], "/d");
    expect(index.candidates("/a/b")).toEqual([0, 1, 2, 3, 4, 5]);
    expect(index.candidates("/a/q")).toEqual([1, 2, 3, 4]);
    expect(index.candidates("/a")).toEqual([2, 3, 4, 6]);
    expect(index.candidates("/z")).toEqual([3, 4]);
  });

  it("ignores letter case and trailing slashes, which exact matching decides", () => {
    const index = indexed("/A/b/", "/a/B");
    for (const path of ["/a/b", "/A/B", "/a/b/", "/a/b//"]) expect(index.candidates(path)).toEqual([0, 1]);
  });

  it("finds everything below a prefix", () => {
    const index = makeRouteIndex();
    index.add(["/a"], 0, true);
    expect(index.candidates("/a/b/c")).toEqual([0]);
    expect(index.candidates("/ab")).toEqual([]);
  });

  it("returns as few candidates among 10,000 patterns as among 10", () => {
    const count = (size: number): number =>
      indexed(...Array.from({ length: size }, (_, at) => `/things-${at}/:id`)).candidates("/things-7/1").length;
    expect(count(10_000)).toBe(count(10));
  });
});
