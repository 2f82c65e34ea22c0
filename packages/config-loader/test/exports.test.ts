import { expect, it } from "vitest";
import * as configLoader from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(configLoader).sort()).toEqual([
    "findConfigFile",
    "findPackageRoot",
    "importConfigFile",
    "importModule",
    "loadConfig",
    "mergeLayers",
    "readArguments",
    "readConfig",
    "readEnvironment",
    "readVariables",
    "schemaVariables",
  ]);
});
