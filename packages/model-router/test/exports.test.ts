import { expect, it } from "vitest";
import * as modelRouter from "../src/index.js";

it("the public names", () => {
  expect(Object.keys(modelRouter).sort()).toEqual([
    "checkModelConfigs",
    "defaultModelRouterSettings",
    "defineModel",
    "makeCheckedModelRouter",
    "makeModelRouter",
    "mergeModelConfigs",
    "modelHookNames",
    "modelModules",
    "readableWhere",
    "toModelConfig",
  ]);
});
