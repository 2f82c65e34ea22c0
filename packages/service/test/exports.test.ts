import { expect, it } from "vitest";
import * as devDatabase from "../src/dev-database.js";
import * as exported from "../src/index.js";

it("C52 exports the public API", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "HttpError",
    "MailError",
    "ServiceRouter",
    "StartupError",
    "UnrecoverableError",
    "callerOf",
    "default",
    "defaultQueryLimits",
    "defineConfig",
    "defineErrors",
    "defineJob",
    "defineModel",
    "httpErrors",
    "identityOf",
    "isDryRun",
    "isHttpError",
    "listAuthActions",
    "parseQuery",
    "preventStorage",
    "readableWhere",
    "sendJson",
    "service",
    "stringifyQuery",
    "toOrmQuery",
    "traceHeaders",
    "typedModels",
    "userIdOf",
  ]);
  expect(exported.default).toBe(exported.service);
});

it("exports the development database under a separate path", () => {
  expect(Object.keys(devDatabase).sort()).toEqual([
    "applyMigrations",
    "createDatabase",
    "createMigration",
    "migrationStatus",
    "pushSchema",
    "resetDatabase",
    "startDevDatabase",
  ]);
});
