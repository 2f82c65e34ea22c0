import { expect, it } from "vitest";
import * as create from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(create).sort()).toEqual(["CreationError", "choices", "createProject", "defaultAnswers"]);
});
