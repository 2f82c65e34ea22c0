import { expect, it } from "vitest";
import { pauseBefore } from "./pause-before.js";

it("C78 a worker that served is replaced at once; those that die at their start wait, longer and longer, up to 30 s", () => {
  const pauses: number[] = [];
  let deaths = 0;
  for (let at = 0; at < 10; at++) {
    const next = pauseBefore({ livedMs: 100, deaths });
    deaths = next.deaths;
    pauses.push(next.pauseMs);
  }
  expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(pauseBefore({ livedMs: 60_000, deaths })).toEqual({ pauseMs: 0, deaths: 1 });
});
