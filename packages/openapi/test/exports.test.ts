import { expect, it } from "vitest";
import * as openapi from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(openapi).sort()).toMatchInlineSnapshot(`
    [
      "apiDocsSchema",
      "checkDocumented",
      "makeDocsRouter",
      "makeDocument",
      "readApiDocsSettings",
      "toYaml",
    ]
  `);
});
