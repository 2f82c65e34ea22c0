import { expect, it } from "vitest";
import "../src/index.js";

it("loads neither the engine nor a PostgreSQL when it is imported, and leaves no handle open", () => {
  expect(Object.keys(globalThis)).not.toContain("PRISMA_WASM_PANIC_REGISTRY");
});
