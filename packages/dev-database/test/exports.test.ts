import { expect, it } from "vitest";
import * as main from "../src/index.js";

it("exports exactly these values from @servicekit/dev-database", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
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
    ]
  `);
});
