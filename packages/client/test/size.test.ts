import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

it.each([
  ["index", 6_500],
  ["progress", 1_000],
  ["react-query/index", 1_500],
])("C74 %s is under %i bytes with all of ours that it imports, and needs nothing of Node", async (name, most) => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))],
    external: ["@tanstack/react-query"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["servicekit-source"],
    write: false,
  });
  expect(warnings).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThan(most);
});
