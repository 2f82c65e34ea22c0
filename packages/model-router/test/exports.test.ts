import { expect, it } from "vitest";
import * as modelRouter from "../src/index.js";

it("the public names", () => {
  expect(Object.keys(modelRouter).sort()).toEqual([
    "defaultModelRouterSettings",
    "makeModelRouter",
    "operationNames",
    "resourcePath",
  ]);
});
