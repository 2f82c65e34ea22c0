import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/model-router", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "computedModels",
      "defaultModelRouterSettings",
      "defineModel",
      "isDryRun",
      "makeModelRouter",
      "readableWhere",
    ]
  `);
});

it("exports exactly these values from @servicekit/model-router/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "applyTenant",
      "checkModelConfigs",
      "checkTenantOf",
      "configuredModels",
      "deletedField",
      "fieldSchema",
      "findTenantModels",
      "hasEvents",
      "isRecorded",
      "joinNewValues",
      "makeCheckedModelRouter",
      "makeTenantValues",
      "mergeModelConfigs",
      "modelModules",
      "omittedModels",
      "readKey",
      "recordedModels",
      "recordedRowDocument",
      "resourcePath",
      "surrogateKeys",
      "tenantSchema",
      "toModelConfig",
      "watchTenant",
    ]
  `);
});
