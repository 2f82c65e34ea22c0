import { expect, it } from "vitest";
import * as devDatabase from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(devDatabase).sort()).toEqual([
    "MigrationError",
    "applyMigrations",
    "createDatabase",
    "createMigration",
    "findLocalPostgres",
    "forgetFailedMigration",
    "migrationStatus",
    "pushSchema",
    "resetDatabase",
    "startDevDatabase",
  ]);
});
