import { expect, it } from "vitest";
import * as modelRouter from "../src/index.js";

it("the public names", () => {
  expect(Object.keys(modelRouter).sort()).toEqual([
    "authHookNames",
    "checkModelConfigs",
    "configuredModels",
    "defaultModelRouterSettings",
    "defineModel",
    "fieldSchema",
    "fileUploadHookNames",
    "loadModules",
    "logModuleLoading",
    "makeModelRouter",
    "mergeModelConfigs",
    "modelHookNames",
    "operationNames",
    "readableWhere",
    "resourcePath",
  ]);
});
