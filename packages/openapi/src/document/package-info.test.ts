import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { readPackageInfo } from "./package-info.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-info-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const infoOf = (manifest: unknown): unknown => {
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  return readPackageInfo(folder);
};

it("C47 reads the description from a package.json", () => {
  expect(infoOf({ name: "@firm/shop", version: "1.2.3", description: "A shop.", license: "MIT" })).toEqual({
    title: "shop",
    version: "1.2.3",
    description: "A shop.",
    license: { name: "MIT", identifier: "MIT" },
  });
  expect(infoOf({ name: "", version: 1, license: "UNLICENSED" })).toEqual({});
  expect(readPackageInfo(path.join(folder, "nowhere"))).toEqual({});
});

it.each([
  ["Ann", { name: "Ann" }],
  [
    "Ann B. <ann@example.com> (https://example.com/ann)",
    { name: "Ann B.", email: "ann@example.com", url: "https://example.com/ann" },
  ],
  ["Ann (https://example.com/)", { name: "Ann", url: "https://example.com/" }],
  [
    { name: "Ann", email: "ann@example.com" },
    { name: "Ann", email: "ann@example.com" },
  ],
  ["Ann <nobody> (somewhere)", { name: "Ann" }],
  ["", undefined],
  [{ name: 1, url: "none" }, undefined],
])("C47 reads the author as the contact: %j", (author, contact) => {
  expect(infoOf({ author })).toEqual(contact === undefined ? {} : { contact });
});
