import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/cli", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "runCli",
    ]
  `);
});

it("exports exactly these values from @servicekit/cli/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "addProgramCommands",
      "makeProgram",
      "runProgramCommand",
    ]
  `);
});
