import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Borrower } from "./hit-windows.js";
import { type SharedCounts, type SharedFace, shareOver } from "./share-over.js";
import { makeSharedState, type SharedAnswer } from "./shared-state.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Workers and their primary; what they say to each other lies in queues, in its order, until it is delivered. */
function open(workers: number, limit: number) {
  const shared = makeSharedState();
  let asks = 0;
  const queues: (() => void)[][] = [];
  const made = Array.from({ length: workers }, () => {
    const [up, down]: (() => void)[][] = [[], []];
    queues.push(up as (() => void)[], down as (() => void)[]);
    const borrower: Borrower = {
      giveBack: (loan) =>
        new Promise((resolve) => {
          down?.push(() =>
            setImmediate(() => {
              const hits = face.giveBack(loan);
              up?.push(() => resolve(hits));
            }),
          );
        }),
    };
    const face: SharedFace = shareOver(
      (sent) =>
        new Promise<readonly SharedAnswer[]>((resolve) => {
          asks++;
          up?.push(() => {
            void shared.answer(sent, borrower).then((answers) => down?.push(() => resolve(answers)));
          });
        }),
    );
    const store: SharedCounts = face.makeStore("requests");
    store.init({ windowMs: 1_000, limit });
    return store;
  });
  /** Delivers one message of the queue that comes first from there. */
  const deliver = async (from: number): Promise<boolean> => {
    const at = queues.findIndex((_, index) => (queues[(from + index) % queues.length] as unknown[]).length > 0);
    if (at === -1) return false;
    queues[(from + at) % queues.length]?.shift()?.();
    await turn();
    await turn();
    return true;
  };
  return { workers: made, deliver, asks: () => asks };
}

describe("C78 hits that workers borrow", () => {
  it("are as many as the limit, never one more or less, and no worker tells a count that falls", async () => {
    const step = fc.record({ by: fc.nat(2), hits: fc.nat(12), deliveries: fc.array(fc.nat(5), { maxLength: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.nat(120), fc.array(step, { maxLength: 25 }), async (limit, steps) => {
        vi.setSystemTime(0);
        const { workers, deliver } = open(3, limit);
        const told: number[][] = [[], [], []];
        const counted: Promise<void>[] = [];
        let asked = 0;
        for (const { by, hits, deliveries } of steps) {
          for (let hit = 0; hit < hits; hit++) {
            asked++;
            const count = Promise.resolve(workers[by]?.hit("k"));
            counted.push(count.then((of) => void told[by]?.push(of?.totalHits ?? Number.NaN)));
          }
          await turn();
          for (const from of deliveries) await deliver(from);
        }
        do await turn();
        while (await deliver(0));
        await Promise.all(counted);
        const passed = told.flat().filter((count) => count <= limit).length;
        expect([told.flat().length, passed]).toEqual([asked, Math.min(asked, limit)]);
        for (const counts of told) expect(counts).toEqual([...counts].sort((one, other) => one - other));
      }),
      { numRuns: 40 },
    );
  });

  it("are counted at once until they are used, and those who wait for a key wait for one ask", async () => {
    const { workers, deliver, asks } = open(1, 1_000);
    const [store] = workers;
    const first = [1, 2, 3].map(() => store?.hit("k"));
    await turn();
    while (await deliver(0));
    expect(await Promise.all(first)).toMatchObject([{ totalHits: 1 }, { totalHits: 2 }, { totalHits: 3 }]);
    for (let hit = 4; hit <= 102; hit++) {
      expect(store?.hit("k")).toEqual({ totalHits: hit, resetTime: new Date(1_000) });
    }
    expect(asks()).toBe(1);
    vi.setSystemTime(1_000);
    const next = store?.hit("k");
    await turn();
    while (await deliver(0));
    expect([await next, asks()]).toEqual([{ totalHits: 1, resetTime: new Date(2_000) }, 2]);
  });

  it("are asked for once in 100 ms over the limit", async () => {
    const { workers, deliver, asks } = open(1, 0);
    const [store] = workers;
    const first = store?.hit("k");
    await turn();
    while (await deliver(0));
    expect(await first).toMatchObject({ totalHits: 1 });
    expect(store?.hit("k")).toMatchObject({ totalHits: 1 });
    vi.setSystemTime(100);
    const later = store?.hit("k");
    await turn();
    while (await deliver(0));
    expect([(await later)?.totalHits, asks()]).toEqual([1, 2]);
  });

  it("of a worker that does not answer are waited for 200 ms, and are there when it has answered", async () => {
    const shared = makeSharedState();
    let answer: (hits: number) => void = () => undefined;
    const slow: Borrower = { giveBack: () => new Promise((resolve) => (answer = resolve)) };
    const other: Borrower = { giveBack: async () => 0 };
    const borrow = async (borrower: Borrower, wanted: number) =>
      (await shared.answer([["borrow", "a", "k", 1_000, 30, wanted]], borrower))[0];
    expect(await borrow(slow, 1)).toEqual([0, 3, 1_000]);
    const asked = borrow(other, 28);
    await vi.advanceTimersByTimeAsync(200);
    expect(await asked).toEqual([3, 27, 1_000]);
    answer(2);
    await turn();
    expect(await borrow(other, 5)).toEqual([28, 2, 1_000]);
  });
});
