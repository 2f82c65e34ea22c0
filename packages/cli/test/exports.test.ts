import { expect, it } from "vitest";
import * as cli from "../src/index.js";

it("exports these names", () => {
  expect(Object.keys(cli).sort()).toEqual(["runCli", "runProgramCommand"]);
});
