// Does what `prisma generate` does, in process and without the Prisma CLI (220 MB): with the libraries that the CLI
// calls.
// Both are internal packages of Prisma, hence the exact versions; scripts/generate-client.slow.test.ts compares the files.
// Runs in TypeScript: node --import <config-loader>/hooks/register.mjs --conditions=servicekit-source
import { createRequire } from "node:module";
import path from "node:path";
import { generate, manifest } from "../packages/prisma/src/generator/generator.js";

export interface GenerateOptions {
  /** A schema file, or a folder of schema files. */
  readonly schema: string;
  /** The folder of the package that depends on Prisma's libraries. */
  readonly packageFolder: string;
  /** The names of the generator blocks to run. @default all */
  readonly generators?: readonly string[];
}

export async function generateClient({ schema, packageFolder, generators }: GenerateOptions): Promise<void> {
  const require = createRequire(path.join(packageFolder, "package.json"));
  const { getGenerators, loadSchemaContext } = require("@prisma/internals") as typeof import("@prisma/internals");
  // The ESM entry of this package cannot be imported.
  const { PrismaClientTsGenerator } =
    require("@prisma/client-generator-ts") as typeof import("@prisma/client-generator-ts");
  const found = await getGenerators({
    schemaContext: await loadSchemaContext({
      schemaPath: { cliProvidedPath: schema },
      cwd: path.dirname(schema),
      printLoadMessage: false,
    }),
    printDownloadProgress: false,
    cliCommand: "generate",
    registry: {
      "prisma-client": { type: "in-process", generator: new PrismaClientTsGenerator() },
      "servicekit-prisma": {
        type: "in-process",
        generator: { name: "servicekit-prisma", getManifest: async () => manifest, generate },
      },
    },
    ...(generators === undefined ? {} : { generatorNames: [...generators] }),
  });
  for (const generator of found) {
    await generator.generate();
    generator.stop();
  }
}
