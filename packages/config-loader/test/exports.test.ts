import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/config-loader", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "loadConfig",
    ]
  `);
});

it("exports exactly these values from @servicekit/config-loader/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "defaultExport",
      "explainExceptions",
      "findConfigFile",
      "findPackageRoot",
      "importConfigFile",
      "importModule",
      "inspectProgram",
      "isProgramInspected",
      "loadModules",
      "logModuleLoading",
      "mergeLayers",
      "readConfig",
      "readEnvironment",
      "schemaVariables",
    ]
  `);
});
