import { expect, it } from "vitest";
import { blockEventLoop } from "../../../../scripts/test/block-event-loop.js";
import { inSlices } from "../../src/internal.js";

it("processes all pieces in order, and yields to the event loop after about ten milliseconds", async () => {
  const events: unknown[] = [];
  setImmediate(() => events.push("other"));
  const done = inSlices([1, 2, 3], (piece) => {
    events.push(piece);
    if (piece !== 2) blockEventLoop(12);
  });
  await done;
  expect(events).toEqual([1, "other", 2, 3]);
});

it("ends with the error of a piece", async () => {
  const pieces: number[] = [];
  const done = inSlices([1, 2, 3], (piece) => {
    pieces.push(piece);
    if (piece === 2) throw new Error("two");
  });
  await expect(done).rejects.toThrow("two");
  expect(pieces).toEqual([1, 2]);
});
