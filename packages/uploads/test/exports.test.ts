import { expect, it } from "vitest";
import * as uploads from "../src/index.js";

it("exports these names and no others", () => {
  expect(Object.keys(uploads).sort()).toEqual([
    "fileCategories",
    "fileHookNames",
    "fileUploadModule",
    "fileUploadSchema",
    "isFileCategory",
    "makeUploads",
    "readFileModule",
    "readUploadSettings",
    "uploadErrors",
  ]);
});
