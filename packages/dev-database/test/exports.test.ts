import { expect, it } from "vitest";
import * as main from "../src/index.js";

it("exports exactly these values from @servicekit/dev-database", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "MigrationError",
      "applyMigrations",
      "baselineDatabase",
      "createDatabase",
      "createMigration",
      "createMissingDatabase",
      "findLocalPostgres",
      "findOutdatedColumns",
      "forgetFailedMigration",
      "introspectDatabase",
      "migrationStatus",
      "outdatedDefaults",
      "pushSchema",
      "readDatabaseContent",
      "resetDatabase",
      "startDevDatabase",
      "withLockFile",
      "writeMigrationFile",
    ]
  `);
});
