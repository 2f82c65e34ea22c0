import { expect, it } from "vitest";
import * as main from "../src/index.js";

it("exports exactly these values from @servicekit/init", () => {
  expect(Object.keys(main).sort()).toEqual(["InitError", "initProject", "isExistingProject", "planInit"]);
});
