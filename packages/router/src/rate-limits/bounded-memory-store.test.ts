import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BoundedMemoryStore } from "./bounded-memory-store.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(windowMs = 1_000) {
  const store = new BoundedMemoryStore();
  store.init({ windowMs });
  const hit = async (key: string) => (await store.increment(key)).totalHits;
  return { store, hit };
}

describe("BoundedMemoryStore", () => {
  it("counts in windows that start with the first hit of a key", async () => {
    const { store, hit } = open();
    expect([await hit("a"), await hit("a"), await hit("b")]).toEqual([1, 2, 1]);
    vi.setSystemTime(999);
    expect(await store.increment("a")).toMatchObject({ totalHits: 3, resetTime: new Date(1_000) });
    vi.setSystemTime(1_000);
    expect(await store.increment("a")).toMatchObject({ totalHits: 1, resetTime: new Date(2_000) });
  });

  it("gives each hit of the same tick a count of its own", async () => {
    const { hit } = open();
    expect(await Promise.all([hit("a"), hit("a"), hit("a")])).toEqual([1, 2, 3]);
  });

  it("removes hits and keys", async () => {
    const { store, hit } = open();
    await Promise.all([hit("a"), hit("a")]);
    await store.decrement("a");
    expect(await hit("a")).toBe(2);
    await store.resetKey("a");
    expect(await hit("a")).toBe(1);
  });

  it("drops the keys that were idle longest when there are more than 100,000", async () => {
    vi.useRealTimers();
    const { hit } = open(3_600_000);
    await hit("first");
    for (let key = 0; key < 100_000; key++) await hit(`key ${key}`);
    expect([await hit("first"), await hit("key 99999")]).toEqual([1, 2]);
  });

  it("counts in windows that exceed Node's maximum timer", async () => {
    const windowMs = 60 * 24 * 3_600_000;
    const { store, hit } = open(windowMs);
    await hit("a");
    vi.advanceTimersByTime(10_000);
    expect(await store.increment("a")).toMatchObject({ totalHits: 2, resetTime: new Date(windowMs) });
  });
});
