import { expect, it } from "vitest";
import { pauseBefore } from "./pause-before.js";

it("C78 replaces a worker that served immediately, and one that dies at startup after a growing pause of up to 30 s", () => {
  const pauses: number[] = [];
  let earlyExits = 0;
  for (let at = 0; at < 10; at++) {
    const next = pauseBefore({ ranMs: 100, earlyExits });
    earlyExits = next.earlyExits;
    pauses.push(next.pauseMs);
  }
  expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(pauseBefore({ ranMs: 60_000, earlyExits })).toEqual({ pauseMs: 0, earlyExits: 1 });
});
