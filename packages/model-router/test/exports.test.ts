import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/model-router", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "defaultModelRouterSettings",
      "defineModel",
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
      "configuredModels",
      "fieldSchema",
      "makeCheckedModelRouter",
      "makeTenantValues",
      "mergeModelConfigs",
      "modelModules",
      "omittedModels",
      "resourcePath",
      "tenantSchema",
      "toModelConfig",
    ]
  `);
});
