import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeSharedState, type SharedCall } from "./shared-state.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const shared = makeSharedState();
  const call = (...calls: SharedCall[]) => shared.execute(calls);
  return { call };
}

describe("C78 the shared state of workers", () => {
  it("counts hits in windows that start with the first hit, separately for each scope and key", async () => {
    const { call } = open();
    const hit: SharedCall = ["hit", "a", "k", 1_000];
    expect(await call(hit, hit, ["hit", "b", "k", 500], ["hit", "a", "other", 1_000])).toEqual([
      [1, 1_000],
      [2, 1_000],
      [1, 500],
      [1, 1_000],
    ]);
    vi.setSystemTime(999);
    expect(await call(hit)).toEqual([[3, 1_000]]);
    vi.setSystemTime(1_000);
    expect(await call(hit)).toEqual([[1, 2_000]]);
  });

  it("removes hits and keys, and ignores unknown ones", async () => {
    const { call } = open();
    const hit: SharedCall = ["hit", "a", "k", 1_000];
    expect(await call(["take back", "a", "k"], hit, ["take back", "a", "k"], ["take back", "a", "k"], hit)).toEqual([
      null,
      [1, 1_000],
      null,
      null,
      [1, 1_000],
    ]);
    expect(await call(["forget", "a", "k"], hit)).toEqual([null, [1, 1_000]]);
  });

  it("stores values until they expire", async () => {
    const { call } = open();
    expect(await call(["get", "t"], ["set", "t", "1", 2], ["get", "t"])).toEqual([null, null, "1"]);
    vi.setSystemTime(2_000);
    expect(await call(["get", "t"])).toEqual([null]);
  });

  it("drops the key that was idle longest, only in its scope, when a scope has too many", async () => {
    const { call } = open();
    await call(["hit", "logins", "first", 1_000]);
    await call(...Array.from({ length: 100_001 }, (_, at): SharedCall => ["hit", "requests", `key ${at}`, 1_000]));
    expect(await call(["hit", "requests", "key 0", 1_000], ["hit", "requests", "key 100000", 1_000])).toEqual([
      [1, 1_000],
      [2, 1_000],
    ]);
    expect(await call(["hit", "logins", "first", 1_000])).toEqual([[2, 1_000]]);
  });
});
