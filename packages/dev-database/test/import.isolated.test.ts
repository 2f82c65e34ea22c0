import { expect, it } from "vitest";
import "../src/index.js";

it("loads neither the engine nor a PostgreSQL, and leaves nothing behind, when it is imported", () => {
  expect(Object.keys(globalThis)).not.toContain("PRISMA_WASM_PANIC_REGISTRY");
});
