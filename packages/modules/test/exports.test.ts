import { expect, it } from "vitest";
import * as modules from "../src/index.js";

it("the public names", () => {
  expect(Object.keys(modules).sort()).toEqual(["loadModules", "logModuleLoading"]);
});
