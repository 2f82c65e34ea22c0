import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

it("C74 is under 6 KB with all that it imports, and needs nothing of Node", async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["servicekit-source"],
    write: false,
  });
  expect(warnings).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThan(6_000);
});
