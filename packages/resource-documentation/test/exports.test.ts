import { expect, it } from "vitest";
import * as documentation from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(documentation).sort()).toEqual(["operationDocumentation"]);
});
