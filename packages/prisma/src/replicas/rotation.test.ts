import { describe, expect, it } from "vitest";
import { makeRotation } from "./rotation.js";

const member = (
  name: string,
  given: Partial<{ isInRotation: boolean; position: bigint; outstanding: number }> = {},
) => ({
  name,
  isInRotation: true,
  position: 100n,
  outstanding: 0,
  ...given,
});

describe("C121 the rotation of replicas", () => {
  it("chooses the one with the fewest running reads", () => {
    const pick = makeRotation([
      member("a", { outstanding: 2 }),
      member("b", { outstanding: 1 }),
      member("c", { outstanding: 3 }),
    ]);
    expect([pick(0n), pick(0n), pick(0n)].map((found) => found?.name)).toEqual(["b", "b", "b"]);
  });

  it("alternates between equally busy ones", () => {
    const pick = makeRotation([member("a"), member("b"), member("c", { outstanding: 1 })]);
    expect(new Set(Array.from({ length: 6 }, () => pick(0n)?.name))).toEqual(new Set(["a", "b"]));
  });

  it("omits those that are out of the rotation or have not replayed the position", () => {
    const [a, b, c] = [
      member("a", { isInRotation: false }),
      member("b", { position: 99n }),
      member("c", { outstanding: 9 }),
    ];
    const pick = makeRotation([a, b, c]);
    expect([pick(100n), pick(100n), pick(100n)].map((found) => found?.name)).toEqual(["c", "c", "c"]);
    expect(pick(101n)).toBeUndefined();
    a.isInRotation = true;
    a.position = 101n;
    expect(pick(101n)).toBe(a);
  });

  it("has none without members", () => {
    expect(makeRotation([])(0n)).toBeUndefined();
  });
});
