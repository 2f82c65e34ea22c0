import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { checkFloors } from "./check-floors.js";

const root = path.join(import.meta.dirname, "..");

it("finds no import that goes up or sideways in this repository", () => {
  expect(checkFloors(root)).toEqual([]);
});

it("names an import that goes up, one that goes sideways, and one that no manifest has", () => {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "floors-"));
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), text);
  };
  write("floors.json", JSON.stringify({ scope: "@x", floors: [["a", "b"], ["c"]], only: {}, testTools: [] }));
  write("packages/a/package.json", JSON.stringify({ dependencies: { "@x/c": "1" } }));
  write("packages/a/src/index.ts", 'import type { B } from "@x/b";\n');
  write("packages/b/package.json", "{}");
  write("packages/c/package.json", JSON.stringify({ dependencies: { "@x/a": "1" } }));
  write("packages/c/src/index.ts", 'export { a } from "@x/a";\n');
  expect(checkFloors(tree)).toEqual([
    "packages/a/package.json (dependencies): imports c, which is not on a lower floor",
    "packages/a/src/index.ts: imports b, which is not on a lower floor",
    "packages/a/src/index.ts: imports b, which its package.json does not name",
  ]);
  fs.rmSync(tree, { recursive: true });
});
