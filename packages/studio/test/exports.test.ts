import { expect, it } from "vitest";
import * as main from "../src/index.js";

it("exports exactly these values from @servicekit/studio", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "makeStudioRouter",
      "openStudio",
    ]
  `);
});
