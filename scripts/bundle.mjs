// Writes the JavaScript of a package, in its folder: a file for each entry of its `exports` and for each named file, and
// files for what entries share or load later. tsc writes the types. Why: docs/decisions/0016-bundled-packages.md.
import fs from "node:fs";
import path from "node:path";
import { build } from "rolldown";

const { exports } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const exported = Object.values(exports).flatMap((target) => target["servicekit-source"] ?? []);
const entries = [...exported, ...process.argv.slice(2).map((entry) => `./src/${entry}`)];

for (const file of fs.readdirSync("dist")) {
  // Files of an earlier build: the names of shared files depend on their contents.
  if (/\.js(\.map)?$/.test(file)) fs.rmSync(path.join("dist", file));
}
await build({
  input: Object.fromEntries(entries.map((entry) => [entry.replace(/^\.\/src\/|\.ts$/g, ""), entry])),
  // Packages stay outside, those of this repository too.
  external: /^[^./]/,
  platform: "node",
  transform: { target: "node20.19" },
  preserveEntrySignatures: "strict",
  logLevel: "warn",
  output: {
    dir: "dist",
    format: "esm",
    // Next to the entries, so that a file of the package has the same relative path from everywhere.
    chunkFileNames: "[name]-[hash].js",
    sourcemap: true,
    // The sources are published too.
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: true, jsdoc: false },
  },
});
