import { expect, it } from "vitest";
import * as discovery from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(discovery).sort()).toMatchInlineSnapshot(`
    [
      "listAuthActions",
      "makeAuthActions",
      "makeAvailableResources",
      "makeAvailableRoutes",
    ]
  `);
});
