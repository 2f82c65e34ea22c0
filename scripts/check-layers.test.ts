import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { checkLayers } from "./check-layers.js";
import { findCircles } from "./find-circles.js";

const root = path.join(import.meta.dirname, "..");

it("finds no import in this repository that leads to the same or a higher layer", () => {
  expect(checkLayers(root)).toEqual([]);
});

it("finds no import cycle in this repository", () => {
  expect(findCircles(root)).toEqual([]);
});

it("reports an import of a higher layer, one of the same layer, and one that no manifest declares", () => {
  const { tree, write } = makeTree();
  write("layers.json", JSON.stringify({ scope: "@x", layers: [["a", "b"], ["c"]], only: {}, testTools: [] }));
  write("packages/a/package.json", JSON.stringify({ dependencies: { "@x/c": "1" } }));
  write("packages/a/src/index.ts", 'import type { B } from "@x/b";\n');
  write("packages/b/package.json", "{}");
  write("packages/c/package.json", JSON.stringify({ dependencies: { "@x/a": "1" } }));
  write("packages/c/src/index.ts", 'export { a } from "@x/a";\n');
  expect(checkLayers(tree)).toEqual([
    "packages/a/package.json (dependencies): imports c, which is not on a lower layer",
    "packages/a/src/index.ts: imports b, which is not on a lower layer",
    "packages/a/src/index.ts: imports b, which its package.json does not name",
  ]);
  fs.rmSync(tree, { recursive: true });
});

it("reports an import of a higher layer and of the same layer inside a package, and a missing folder", () => {
  const { tree, write } = makeTree();
  const folders = { a: [["low", "low/er"], ["left", "right"], ["gone"], ["top"]] };
  write("layers.json", JSON.stringify({ scope: "@x", layers: [["a"]], folders, only: {}, testTools: [] }));
  write("packages/a/package.json", "{}");
  write("packages/a/src/index.ts", 'export { top } from "./top.js";\n');
  write("packages/a/src/top.ts", 'export { left as top } from "./left/left.js";\n');
  write("packages/a/src/left/left.ts", 'import { low } from "../low/low.js";\nimport "../right/right.js";\n');
  write("packages/a/src/right/right.ts", 'import type { index } from "../index.js";\n');
  write("packages/a/src/low/low.ts", 'import { more } from "./more.js";\nconst er = await import("./er/er.js");\n');
  write("packages/a/src/low/low.test.ts", 'import { top } from "../top.js";\n');
  expect(checkLayers(tree).sort()).toEqual([
    "packages/a/src/left/left.ts: imports right/right.ts, which is not on a lower layer",
    "packages/a/src/low/low.ts: imports low/er/er.ts, which is not on a lower layer",
    "packages/a/src/right/right.ts: imports index.ts, which is not on a lower layer",
    "packages/a/src: has no gone, which layers.json names",
    "packages/a/src: has no low/er, which layers.json names",
  ]);
  fs.rmSync(tree, { recursive: true });
});

it("reports a cycle of imports, also of types, and ignores generated files", () => {
  const { tree, write } = makeTree();
  write("packages/a/package.json", "{}");
  write("packages/a/src/a.ts", 'import { type T, b } from "./b.js";\n');
  write("packages/a/src/b.ts", 'import {\n  c,\n} from "./c.js";\n');
  write("packages/a/src/c.ts", 'export { a } from "./a.js";\n');
  write("packages/a/src/d.ts", 'import { type A } from "./e.js";\n');
  write("packages/a/src/e.ts", 'import type { D } from "./d.js";\nimport { d } from "./f.js";\n');
  write("packages/a/src/generated/g.ts", 'import type { H } from "./h.js";\n');
  write("packages/a/src/generated/h.ts", 'import type { G } from "./g.js";\n');
  expect(findCircles(tree)).toEqual([
    "packages/a/src/a.ts → packages/a/src/b.ts → packages/a/src/c.ts → packages/a/src/a.ts",
    "packages/a/src/d.ts → packages/a/src/e.ts → packages/a/src/d.ts",
  ]);
  fs.rmSync(tree, { recursive: true });
});

function makeTree() {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "layers-"));
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), text);
  };
  return { tree, write };
}
