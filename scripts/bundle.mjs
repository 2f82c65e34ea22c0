// Makes the JavaScript of a package, in its folder: a file for each entry of its `exports` and for each one named, and
// files for what entries share or load later. Its types are tsc's. Why: docs/decisions/0016-bundled-packages.md.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const { exports } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const exported = Object.values(exports).flatMap((target) => target["servicekit-source"] ?? []);
const named = process.argv.slice(2).map((entry) => `./src/${entry}`);

for (const file of fs.readdirSync("dist")) {
  // Of an earlier build: names tell what is in a file that is shared.
  if (/\.js(\.map)?$/.test(file)) fs.rmSync(path.join("dist", file));
}
await build({
  entryPoints: [...exported, ...named],
  outdir: "dist",
  outbase: "src",
  // Beside the entries, so that a file of the package is found from everywhere in the same way.
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  // The sources are published too.
  sourcesContent: false,
  logLevel: "warning",
});
