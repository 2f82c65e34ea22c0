import { expect, it } from "vitest";
import * as check from "../src/check.js";
import * as configLoader from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(configLoader).sort()).toEqual([
    "checkConfig",
    "findConfigFile",
    "findFaults",
    "findPackageRoot",
    "importConfigFile",
    "importModule",
    "loadConfig",
    "mergeLayers",
    "readArguments",
    "readConfig",
    "readEnvironment",
    "readVariables",
  ]);
});

it("exports what reads no file under ./check", () => {
  expect(Object.keys(check).sort()).toEqual(["checkConfig", "describeFound", "findFaults"]);
});
