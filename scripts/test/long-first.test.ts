import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { longFiles } from "./long-first.js";

it("names only files that exist", () => {
  const root = path.join(import.meta.dirname, "../..");
  expect(longFiles.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
});
