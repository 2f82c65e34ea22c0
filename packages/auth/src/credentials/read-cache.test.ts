import { expect, it } from "vitest";
import { makeReadCache } from "./read-cache.js";

const value = { of: "a read" };
const change = async () => "changed";

it("returns what was read until it is changed", async () => {
  const cache = makeReadCache<typeof value>(60_000);
  for (const key of ["one", "other"]) cache.reading()(key, value);
  expect(await cache.change(change, "one")).toBe("changed");
  expect([cache.get("one"), cache.get("other")]).toEqual([undefined, value]);
  await cache.change(change);
  expect(cache.get("other")).toBeUndefined();
});

it("does not cache a value whose read began before a change", async () => {
  const cache = makeReadCache<typeof value>(60_000);
  const store = cache.reading();
  await cache.change(change, "one");
  store("one", value);
  expect(cache.get("one")).toBeUndefined();
  cache.reading()("one", value);
  expect(cache.get("one")).toBe(value);
});

it("reads again after a change that failed, because it may have been applied", async () => {
  const cache = makeReadCache<typeof value>(60_000);
  cache.reading()("one", value);
  await expect(cache.change(() => Promise.reject(new Error("timeout")), "one")).rejects.toThrow("timeout");
  expect(cache.get("one")).toBeUndefined();
});

it("caches nothing for 0 milliseconds", async () => {
  const cache = makeReadCache<typeof value>(0);
  cache.reading()("one", value);
  expect([cache.get("one"), await cache.change(change)]).toEqual([undefined, "changed"]);
});
