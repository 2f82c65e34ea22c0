import { describe, expect, it } from "vitest";
import { judgeLoad, type LoadAllowed, type LoadSeen } from "./judge-load.js";

const calm: LoadSeen = {
  ms: 100,
  utilization: 0.4,
  turn: 1,
  finished: 10,
  leastAtWork: 0,
  leastInLine: 0,
  pool: { size: 10, waiting: 0 },
};
/** 50 requests in a tenth of a second, and no rest. */
const full: LoadSeen = { ...calm, utilization: 1, turn: 6, finished: 50, leastAtWork: 30 };

/** Looks so often at the same. */
function look(judge: (seen: LoadSeen) => LoadAllowed, times: number, seen: LoadSeen): LoadAllowed {
  let allowed = judge(seen);
  for (let at = 1; at < times; at++) allowed = judge(seen);
  return allowed;
}

describe("judgeLoad", () => {
  it("C70 bounds nothing while there is rest, however many are at work", () => {
    const allowed = look(judgeLoad(500), 50, { ...calm, leastAtWork: 5_000, finished: 0 });
    expect(allowed).toEqual({ most: Number.POSITIVE_INFINITY, lanes: Number.POSITIVE_INFINITY, isFull: false });
  });

  it("C70 takes a single stall, and what has come in during it, for no overload", () => {
    const judge = judgeLoad(500);
    look(judge, 10, calm);
    judge({ ...full, ms: 700, finished: 1 });
    expect(judge({ ...full, finished: 60 })).toMatchObject({ most: Number.POSITIVE_INFINITY, isFull: false });
    expect(judge(calm)).toMatchObject({ most: Number.POSITIVE_INFINITY, isFull: false });
  });

  it("C70 lets as many in as are finished within the longest wait, when there is no rest", () => {
    const judge = judgeLoad(500);
    look(judge, 10, calm);
    expect(look(judge, 3, full)).toMatchObject({ most: 250, isFull: true });
  });

  it("C70 does not count those that wait for something else", () => {
    const judge = judgeLoad(500);
    look(judge, 10, { ...calm, leastAtWork: 400 });
    expect(look(judge, 3, { ...full, leastAtWork: 430 }).most).toBe(650);
    // They have ended meanwhile.
    expect(judge({ ...full, leastAtWork: 100 }).most).toBe(350);
  });

  it("C70 takes a pool for full as long as somebody waits for it, and lets as many in as it has connections at the least", () => {
    const waiting = { ...calm, utilization: 0.1, finished: 0, leastAtWork: 12, pool: { size: 10, waiting: 2 } };
    expect(look(judgeLoad(500), 3, waiting)).toMatchObject({ most: 10, isFull: true });
  });

  it("C70 lets fewer work at a time while the turns of the event loop are long, two at the least, and more as soon as it rests", () => {
    const judge = judgeLoad(500);
    const lanes = Array.from({ length: 14 }, () => judge({ ...full, leastInLine: 100 }).lanes);
    expect(lanes.slice(2)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 2, 2, 2]);
    expect(judge({ ...full, utilization: 0.9, leastInLine: 100 }).lanes).toBe(3);
    expect(judge({ ...full, utilization: 0.3, leastInLine: 100 }).lanes).toBe(6);
  });

  it("C70 lets as many work at a time as keep the turns short, where there is no rest", () => {
    const judge = judgeLoad(500);
    const busy = { ...full, leastInLine: 100 };
    look(judge, 20, busy);
    expect(judge({ ...busy, turn: 2 }).lanes).toBe(2);
    const more = Array.from({ length: 10 }, () => judge({ ...busy, turn: 1 }).lanes);
    expect(more).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    expect(judge({ ...busy, turn: 3.5 }).lanes).toBe(9);
    expect(judge({ ...busy, turn: 2 }).lanes).toBe(9);
    // Turns in which it waits for the database are none that are long.
    expect(judge({ ...busy, turn: 3.1, utilization: 0.96 }).lanes).toBe(10);
    expect(judge({ ...busy, turn: 3.5, utilization: 0.96 }).lanes).toBe(9);
  });

  it("C70 opens again step by step when there is rest", () => {
    const judge = judgeLoad(500);
    look(judge, 5, full);
    expect([judge(calm).most, judge(calm).most, judge(calm).most]).toEqual([500, 1_000, 2_000]);
  });
});
