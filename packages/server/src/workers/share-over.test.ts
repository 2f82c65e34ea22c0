import type { RateLimitStore } from "@servicekit/router";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shareOver } from "./share-over.js";
import { makeSharedState, type SharedCall } from "./shared-state.js";

const options = { windowMs: 60_000 } as Parameters<NonNullable<RateLimitStore["init"]>>[0];

it("C78 sends the operations of one tick together, in order, and returns the result of each", async () => {
  const shared = makeSharedState();
  const sent: number[] = [];
  const { makeStore, values } = shareOver(async (calls: readonly SharedCall[]) => {
    sent.push(calls.length);
    return shared.execute(calls);
  });
  const store = makeStore("a");
  await store.init?.(options);
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

it("C78 rejects each operation while the primary does not respond, and retries in the next tick", async () => {
  const shared = makeSharedState();
  let isGone = true;
  const { makeStore } = shareOver(async (calls) => {
    if (isGone) throw new Error("gone");
    return shared.execute(calls);
  });
  const store = makeStore("a");
  const requested = await Promise.allSettled([store.increment("k"), store.decrement("k")]);
  expect(requested.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isGone = false;
  expect((await store.increment("k")).totalHits).toBe(1);
});

it("C78 returns a distinct count for each hit of all workers, and never a falling count to one worker", async () => {
  const step = fc.record({ worker: fc.nat(2), hits: fc.integer({ min: 1, max: 12 }), isNext: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const shared = makeSharedState();
      const workers = Array.from({ length: 3 }, () => shareOver(async (calls) => shared.execute(calls)).makeStore("a"));
      for (const store of workers) await store.init?.(options);
      const seen: number[][] = [[], [], []];
      const counted: Promise<void>[] = [];
      for (const { worker, hits, isNext } of steps) {
        for (let hit = 0; hit < hits; hit++) {
          counted.push(
            Promise.resolve(workers[worker]?.increment("k")).then((count) => {
              seen[worker]?.push(count?.totalHits ?? Number.NaN);
            }),
          );
        }
        if (isNext) await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(counted);
      const ascending = (counts: readonly number[]) => [...counts].sort((one, other) => one - other);
      expect(ascending(seen.flat())).toEqual(counted.map((_, at) => at + 1));
      for (const counts of seen) expect(counts).toEqual(ascending(counts));
    }),
    { numRuns: 40 },
  );
});
