import path from "node:path";
import esbuild from "esbuild";

/**
 * Bundles the example with all it needs to a few files, as one would for production, with the program that starts it.
 *
 * @returns the program: a process that starts like `processes/boot.js`
 */
export async function bundleService(shop: string, folder: string): Promise<string> {
  const contents = `
    import service from "@servicekit/service";
    import { makeShopConfig } from ${JSON.stringify(path.join(shop, "app.js"))};
    import { answerParent, cpuTime } from "./answer-parent.js";
    const config = { ...makeShopConfig(), port: 0, host: "127.0.0.1" };
    await service.init(config, { directory: ${JSON.stringify(import.meta.dirname)} });
    answerParent(cpuTime(), cpuTime);`;
  await esbuild.build({
    stdin: { contents, resolveDir: path.join(import.meta.dirname, "..", "processes") },
    outdir: folder,
    entryNames: "start",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    // A program of the machine's own, which is loaded with the first password.
    external: ["@node-rs/bcrypt"],
    // Gives CommonJS packages their require, as esbuild's documentation says.
    banner: {
      js: `import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);`,
    },
  });
  return path.join(folder, "start.js");
}
