import { expect, it } from "vitest";
import * as main from "../src/index.js";
import * as settings from "../src/settings.js";

it("exports exactly these values from @servicekit/uploads", () => {
  expect(Object.keys(main).sort()).toMatchInlineSnapshot(`
    [
      "fileCategories",
      "fileHookNames",
      "fileUploadModule",
      "fileUploadSchema",
      "isFileCategory",
      "makeUploads",
      "readFileModule",
      "readUploadSettings",
      "uploadErrors",
    ]
  `);
});

it("exports exactly these values from @servicekit/uploads/settings", () => {
  expect(Object.keys(settings).sort()).toMatchInlineSnapshot(`
    [
      "fileUploadModule",
      "fileUploadSchema",
      "imageFormats",
      "readUploadSettings",
    ]
  `);
});
