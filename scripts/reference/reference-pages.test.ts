import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { cliPage } from "./cli-page.js";
import { contractCoveragePage } from "./contract-coverage-page.js";
import { environmentPage, internalVariables, otherVariables } from "./environment-page.js";
import { metricsPage } from "./metrics-page.js";

const root = path.join(import.meta.dirname, "../..");
const file = (name: string): string => path.join(root, "docs/reference", name);

// `npm test -- scripts/reference -u` writes the pages.

it("C73 describes in docs/reference/cli.md every command as its help does", async () => {
  await expect(cliPage()).toMatchFileSnapshot(file("cli.md"));
});

it("C68 lists in docs/reference/environment.md every variable of the configuration schema", async () => {
  await expect(environmentPage()).toMatchFileSnapshot(file("environment.md"));
});

it("C118 lists in docs/reference/contract-coverage.md the databases on which each entry of the contract is tested", async () => {
  await expect(contractCoveragePage()).toMatchFileSnapshot(file("contract-coverage.md"));
});

/** The sources of all packages and of the files of a new project. */
function readSources(): string[] {
  const packages = path.join(root, "packages");
  const folders = fs
    .readdirSync(packages)
    .flatMap((name) => ["src", "templates"].map((part) => path.join(packages, name, part)));
  return folders
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) =>
      fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
        .map((name) => fs.readFileSync(path.join(folder, name), "utf8")),
    );
}

/** The environment variables that a source reads: as properties, in destructuring, and as constants. */
function readVariables(source: string): string[] {
  const properties = source.matchAll(/\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)\b/g);
  const constants = source.matchAll(/"(SERVICEKIT_[A-Z_]+)"/g);
  const patterns = source.matchAll(
    /\{([^{}]*)\}(?:: (?:\w+\.)?(?:Variables|Environment|ProcessEnv)\b| = (?:await environmentOf|environment\b|process\.env\b))/g,
  );
  return [...properties, ...constants, ...patterns].flatMap(
    ([, found = ""]) => found.match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? [],
  );
}

it("lists in docs/reference/environment.md every variable that the sources read", () => {
  const found = new Set(readSources().flatMap(readVariables));
  const listed = new Set([...Object.keys(otherVariables), ...internalVariables]);
  const page = environmentPage();
  expect([...found].filter((name) => !listed.has(name) && !page.includes(`\`${name}\``))).toEqual([]);
  expect([...listed].filter((name) => !found.has(name))).toEqual([]);
});

// The metrics of the process are those of Linux.
it.skipIf(process.platform !== "linux")(
  "C69 lists in docs/reference/metrics.md every metric that is registered",
  async () => {
    await expect(await metricsPage()).toMatchFileSnapshot(file("metrics.md"));
  },
);
