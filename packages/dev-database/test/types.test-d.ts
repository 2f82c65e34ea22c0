import { expectTypeOf, it } from "vitest";
import { withLockFile } from "../src/index.js";

it("returns what the work under a lock returns", () => {
  expectTypeOf(withLockFile("a.lock", "working", async () => 1)).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error: the work is asynchronous
  void withLockFile("a.lock", "working", () => 1);
});
