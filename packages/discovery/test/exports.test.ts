import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";

it("exports exactly these values from @servicekit/discovery", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "listAuthActions",
      "makeAvailableRoutes",
    ]
  `);
});

it("exports exactly these values from @servicekit/discovery/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "makeAuthActions",
      "makeAvailableResources",
    ]
  `);
});
