// Writes dist/client-generator.cjs of @servicekit/prisma: Prisma's generator of `prisma-client`, without Prisma's command
// line, engines and configuration loader. Why: docs/decisions/0021-prisma-client-generator.md.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build } from "rolldown";

const require = createRequire(path.resolve("package.json"));
const resolve = (name, from = require) => from.resolve(name);
const generator = resolve("@prisma/client-generator-ts");
const internals = path.dirname(resolve("@prisma/internals"));

/** The functions of @prisma/internals that the generator calls; its entry would load everything else too. */
const functions = ["assertNever", "hasOwnProperty", "isValidJsIdentifier", "parseEnvValue", "path", "setClassName"];
const narrow = {
  name: "narrow-internals",
  resolveId: (id) => (id === "@prisma/internals" ? "\0internals" : undefined),
  load: (id) =>
    id === "\0internals"
      ? [
          ...functions.map((name) => `export * from ${JSON.stringify(path.join(internals, "utils", `${name}.js`))};`),
          `export { externalToInternalDmmf, getInternalDMMF } from ${JSON.stringify(resolve("@prisma/get-dmmf", createRequire(internals)))};`,
        ].join("\n")
      : undefined,
};

const { output } = await build({
  input: { "client-generator": generator },
  external: ["@prisma/prisma-schema-wasm"],
  platform: "node",
  transform: { target: "node20.19" },
  plugins: [narrow],
  logLevel: "warn",
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { legal: true, annotation: false, jsdoc: false },
  },
});

/** The licences of the bundled packages require that they are distributed with them. */
const folders = new Set(
  output[0].moduleIds.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
);
const packagesByText = new Map();
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = fs.readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : fs.readFileSync(path.join(folder, file), "utf8").trim();
  packagesByText.set(text, [...(packagesByText.get(text) ?? []), `${name} ${version} (${license})`]);
}
const parts = [...packagesByText].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
fs.writeFileSync("dist/client-generator.LICENSE.txt", parts.join(`\n${"-".repeat(80)}\n\n`));
