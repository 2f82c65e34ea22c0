import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";
import { expect, it } from "vitest";

it.each([
  ["index", 8_000],
  ["progress", 1_000],
  ["react-query/index", 1_500],
])(
  "C74 %s is under %i bytes including all of our code that it imports, and uses nothing of Node",
  async (name, max) => {
    const warnings: string[] = [];
    const { output } = await build({
      input: fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)),
      external: ["@tanstack/react-query", "react"],
      platform: "browser",
      resolve: { conditionNames: ["servicekit-source", "import"] },
      onwarn: ({ message }) => void warnings.push(message),
      output: { format: "esm", minify: true },
      write: false,
    });
    expect(warnings).toEqual([]);
    expect(output).toHaveLength(1);
    expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThan(max);
  },
);
