import { expect, it } from "vitest";
import { shareOver } from "./share-over.js";
import { makeSharedState, type SharedAsk } from "./shared-state.js";

it("C78 asks of one turn go together, in their order, and each gets its own answer", async () => {
  const shared = makeSharedState();
  const sent: number[] = [];
  const { makeStore, values } = shareOver(async (asks: readonly SharedAsk[]) => {
    sent.push(asks.length);
    return shared.answer(asks);
  });
  const store = makeStore("a");
  store.init({ windowMs: 5_000 });
  const hits = await Promise.all(["k", "k", "other", "k"].map((key) => store.increment(key)));
  expect(hits.map(({ totalHits }) => totalHits)).toEqual([1, 2, 1, 3]);
  await values.set("t", "1", 60);
  expect(await values.get("t")).toBe("1");
  await store.decrement("k");
  await store.resetKey("other");
  expect((await store.increment("k")).totalHits).toBe(3);
  expect((await store.increment("other")).totalHits).toBe(1);
  expect(sent).toEqual([4, 1, 1, 1, 1, 1, 1]);
});

it("C78 where nobody answers each ask rejects, and the next turn tries again", async () => {
  const shared = makeSharedState();
  let isGone = true;
  const { makeStore } = shareOver(async (asks) => {
    if (isGone) throw new Error("gone");
    return shared.answer(asks);
  });
  const store = makeStore("a");
  const asked = await Promise.allSettled([store.increment("k"), store.decrement("k")]);
  expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isGone = false;
  expect((await store.increment("k")).totalHits).toBe(1);
});
