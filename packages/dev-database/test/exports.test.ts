import { expect, it } from "vitest";
import * as devDatabase from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(devDatabase).sort()).toEqual([
    "MigrationError",
    "applyMigrations",
    "createDatabase",
    "createMigration",
    "findLocalPostgres",
    "migrationStatus",
    "pushSchema",
    "resetDatabase",
    "startDevDatabase",
  ]);
});

it("loads neither the engine nor a PostgreSQL, and leaves nothing behind, when it is imported", () => {
  expect(Object.keys(globalThis)).not.toContain("PRISMA_WASM_PANIC_REGISTRY");
});
