import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeSharedState, type SharedAsk } from "./shared-state.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const shared = makeSharedState();
  const ask = (...asks: SharedAsk[]) => shared.answer(asks);
  return { ask };
}

describe("C78 what workers share", () => {
  it("counts hits in windows that begin with the first one, each scope and key for itself", async () => {
    const { ask } = open();
    const hit: SharedAsk = ["hit", "a", "k", 1_000];
    expect(await ask(hit, hit, ["hit", "b", "k", 500], ["hit", "a", "other", 1_000])).toEqual([
      [1, 1_000],
      [2, 1_000],
      [1, 500],
      [1, 1_000],
    ]);
    vi.setSystemTime(999);
    expect(await ask(hit)).toEqual([[3, 1_000]]);
    vi.setSystemTime(1_000);
    expect(await ask(hit)).toEqual([[1, 2_000]]);
  });

  it("takes hits back, and forgets keys; what is not there is nothing", async () => {
    const { ask } = open();
    const hit: SharedAsk = ["hit", "a", "k", 1_000];
    expect(await ask(["take back", "a", "k"], hit, ["take back", "a", "k"], ["take back", "a", "k"], hit)).toEqual([
      null,
      [1, 1_000],
      null,
      null,
      [1, 1_000],
    ]);
    expect(await ask(["forget", "a", "k"], hit)).toEqual([null, [1, 1_000]]);
  });

  it("keeps values until they are over", async () => {
    const { ask } = open();
    expect(await ask(["get", "t"], ["set", "t", "1", 2], ["get", "t"])).toEqual([null, null, "1"]);
    vi.setSystemTime(2_000);
    expect(await ask(["get", "t"])).toEqual([null]);
  });

  it("forgets the key that was idle longest, in its scope alone, when a scope has too many", async () => {
    const { ask } = open();
    await ask(["hit", "logins", "first", 1_000]);
    await ask(...Array.from({ length: 100_001 }, (_, at): SharedAsk => ["hit", "requests", `key ${at}`, 1_000]));
    expect(await ask(["hit", "requests", "key 0", 1_000], ["hit", "requests", "key 100000", 1_000])).toEqual([
      [1, 1_000],
      [2, 1_000],
    ]);
    expect(await ask(["hit", "logins", "first", 1_000])).toEqual([[2, 1_000]]);
  });
});
