import { expect, it } from "vitest";
import * as studio from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(studio).sort()).toMatchInlineSnapshot(`
    [
      "makeStudioRouter",
      "openStudio",
    ]
  `);
});
