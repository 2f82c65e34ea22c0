import { expectTypeOf, it } from "vitest";
import { inSlices } from "../../src/internal.js";

it("passes each piece with its type", () => {
  expectTypeOf(
    inSlices(new Map([["a", 1]]), (piece) => expectTypeOf(piece).toEqualTypeOf<[string, number]>()),
  ).toEqualTypeOf<Promise<void>>();
});
