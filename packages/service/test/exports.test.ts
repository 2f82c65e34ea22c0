import { expect, it } from "vitest";
import * as devDatabase from "../src/dev-database.js";
import * as exported from "../src/index.js";

it("C52 exports what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "HttpError",
    "MailError",
    "ServiceRouter",
    "StartError",
    "callerOf",
    "default",
    "defaultQueryLimits",
    "defineConfig",
    "defineErrors",
    "defineModel",
    "httpErrors",
    "identityOf",
    "isHttpError",
    "listAuthActions",
    "parseQuery",
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

it("exports the development database under a path of its own", () => {
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
