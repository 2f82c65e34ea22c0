import { expect, it } from "vitest";
import * as docsRouter from "../src/docs-router.js";
import * as main from "../src/index.js";
import * as internal from "../src/internal.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/openapi", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "apiDocsSchema",
      "makeDocsRouter",
      "makeDocument",
      "readApiDocsSettings",
      "toYaml",
    ]
  `);
});

it("exports exactly these values from @servicekit/openapi/internal", () => {
  expect(Object.keys(internal).sort()).toMatchInlineSnapshot(`
    [
      "checkDocumented",
      "readPackageInfo",
    ]
  `);
});

it("exports exactly these values from @servicekit/openapi/docs-router", () => {
  expect(Object.keys(docsRouter).sort()).toMatchInlineSnapshot(`
    [
      "hasSwagger",
      "makeDocsRouter",
    ]
  `);
});

it("exports exactly these values from @servicekit/openapi/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "apiDocsSchema",
      "readApiDocsSettings",
    ]
  `);
});
