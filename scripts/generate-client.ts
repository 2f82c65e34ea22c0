// Generates a Prisma client as `service generate` does, before any package is built: with Prisma's generator from its
// package instead of the bundled one.
// Runs in TypeScript: node --import <config-loader>/hooks/register.mjs --conditions=servicekit-source
import { createRequire } from "node:module";
import path from "node:path";
import { type RunGeneratorsOptions, runGenerators } from "../packages/prisma/src/generator/run-generators.js";

const require = createRequire(path.join(import.meta.dirname, "..", "packages", "prisma", "package.json"));

export function generateClient(options: Omit<RunGeneratorsOptions, "client">): Promise<void> {
  // The ESM entry of this package cannot be imported.
  const { PrismaClientTsGenerator } =
    require("@prisma/client-generator-ts") as typeof import("@prisma/client-generator-ts");
  return runGenerators({ ...options, client: new PrismaClientTsGenerator() });
}
