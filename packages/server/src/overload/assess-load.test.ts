import { describe, expect, it } from "vitest";
import { assessLoad, type LoadAllowed, type ObservedLoad } from "./assess-load.js";

const calm: ObservedLoad = {
  ms: 100,
  utilization: 0.4,
  turn: 1,
  finished: 10,
  minRunning: 0,
  minQueued: 0,
  pool: { size: 10, waiting: 0 },
};
/** 50 requests in a tenth of a second, without idle time. */
const full: ObservedLoad = { ...calm, utilization: 1, turn: 6, finished: 50, minRunning: 30 };

/** Repeats the same measurement. */
function check(evaluate: (seen: ObservedLoad) => LoadAllowed, times: number, seen: ObservedLoad): LoadAllowed {
  let allowed = evaluate(seen);
  for (let at = 1; at < times; at++) allowed = evaluate(seen);
  return allowed;
}

describe("assessLoad", () => {
  it("C70 limits nothing while the event loop has idle time, however many requests run", () => {
    const allowed = check(assessLoad(500), 50, { ...calm, minRunning: 5_000, finished: 0 });
    expect(allowed).toEqual({ max: Number.POSITIVE_INFINITY, maxRunning: Number.POSITIVE_INFINITY, isFull: false });
  });

  it("C70 does not treat a single stall, and the requests that arrived during it, as overload", () => {
    const evaluate = assessLoad(500);
    check(evaluate, 10, calm);
    evaluate({ ...full, ms: 700, finished: 1 });
    expect(evaluate({ ...full, finished: 60 })).toMatchObject({ max: Number.POSITIVE_INFINITY, isFull: false });
    expect(evaluate(calm)).toMatchObject({ max: Number.POSITIVE_INFINITY, isFull: false });
  });

  it("C70 admits as many as complete within the maximum wait if there is no idle time", () => {
    const evaluate = assessLoad(500);
    check(evaluate, 10, calm);
    expect(check(evaluate, 3, full)).toMatchObject({ max: 250, isFull: true });
  });

  it("C70 does not count requests that wait for something else", () => {
    const evaluate = assessLoad(500);
    check(evaluate, 10, { ...calm, minRunning: 400 });
    expect(check(evaluate, 3, { ...full, minRunning: 430 }).max).toBe(650);
    // They have ended meanwhile.
    expect(evaluate({ ...full, minRunning: 100 }).max).toBe(350);
  });

  it("C70 treats a pool as full while requests wait for it, and admits at least as many as it has connections", () => {
    const waiting = { ...calm, utilization: 0.1, finished: 0, minRunning: 12, pool: { size: 10, waiting: 2 } };
    expect(check(assessLoad(500), 3, waiting)).toMatchObject({ max: 10, isFull: true });
  });

  it("C70 runs fewer requests concurrently while the ticks of the event loop are long, at least two, and more after idle time", () => {
    const evaluate = assessLoad(500);
    const maxRunning = Array.from({ length: 14 }, () => evaluate({ ...full, minQueued: 100 }).maxRunning);
    expect(maxRunning.slice(2)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 2, 2, 2]);
    expect(evaluate({ ...full, utilization: 0.9, minQueued: 100 }).maxRunning).toBe(3);
    expect(evaluate({ ...full, utilization: 0.3, minQueued: 100 }).maxRunning).toBe(6);
  });

  it("C70 runs as many concurrently as keep the ticks short if there is no idle time", () => {
    const evaluate = assessLoad(500);
    const busy = { ...full, minQueued: 100 };
    check(evaluate, 20, busy);
    expect(evaluate({ ...busy, turn: 2 }).maxRunning).toBe(2);
    const more = Array.from({ length: 10 }, () => evaluate({ ...busy, turn: 1 }).maxRunning);
    expect(more).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    expect(evaluate({ ...busy, turn: 3.5 }).maxRunning).toBe(9);
    expect(evaluate({ ...busy, turn: 2 }).maxRunning).toBe(9);
    // Ticks that wait for the database are not long.
    expect(evaluate({ ...busy, turn: 3.1, utilization: 0.96 }).maxRunning).toBe(10);
    expect(evaluate({ ...busy, turn: 3.5, utilization: 0.96 }).maxRunning).toBe(9);
  });

  it("C70 opens step by step when there is idle time again", () => {
    const evaluate = assessLoad(500);
    check(evaluate, 5, full);
    expect([evaluate(calm).max, evaluate(calm).max, evaluate(calm).max]).toEqual([500, 1_000, 2_000]);
  });
});
