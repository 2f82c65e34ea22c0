import path from "node:path";
import { expect, it } from "vitest";
import { foldersOf, sourceImports } from "./source-imports.js";

const root = path.resolve(import.meta.dirname, "..");

it("no package of a service has named imports of node:http, which make Node load its fetch", () => {
  const files = foldersOf(root)
    .filter((folder) => /packages[\\/](?!cli|dev-database|create-servicekit)/.test(folder))
    .flatMap(sourceImports)
    .filter(({ specifier, isTypeOnly, isTest }) => specifier === "node:http" && !isTypeOnly && !isTest)
    .map(({ file }) => path.relative(root, file));
  expect(files).toEqual([]);
});
