import path from "node:path";
import esbuild from "esbuild";

/**
 * Bundles the example with all it needs to one file, as docs/deployment.md says, with the program that starts it.
 *
 * @returns the program: a process that starts like `processes/boot.js`
 */
export async function bundleService(shop: string, folder: string): Promise<string> {
  const outfile = path.join(folder, "start.mjs");
  const contents = `
    import service from "@servicekit/service";
    import { makeShopConfig } from ${JSON.stringify(path.join(shop, "app.js"))};
    import { answerParent, cpuTime } from "./answer-parent.js";
    const config = { ...makeShopConfig(), port: 0, host: "127.0.0.1" };
    await service.init(config, { directory: ${JSON.stringify(import.meta.dirname)} });
    answerParent(cpuTime(), cpuTime);`;
  await esbuild.build({
    stdin: { contents, resolveDir: path.join(import.meta.dirname, "..", "processes") },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    // Programs of the machine's own, which are loaded when they are needed.
    external: ["@node-rs/bcrypt", "oxc-transform", "sharp"],
    // Gives CommonJS packages their require, as esbuild's documentation says.
    banner: {
      js: `import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);`,
    },
  });
  return outfile;
}
