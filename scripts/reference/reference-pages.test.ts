import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { cliPage } from "./cli-page.js";
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

it("lists in docs/reference/environment.md every variable that the sources read", () => {
  const sources = fs
    .readdirSync(path.join(root, "packages"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^[\w-]+\/(src|templates)\/.*(?<!\.test)\.ts$/.test(name))
    .map((name) => fs.readFileSync(path.join(root, "packages", name), "utf8"))
    .join("\n");
  const accesses = [...sources.matchAll(/\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)\b/g)].map(([, name = ""]) => name);
  const constants = [...sources.matchAll(/"(SERVICEKIT_[A-Z_]+)"/g)].map(([, name = ""]) => name);
  const destructured = [
    ...sources.matchAll(
      /\{([^{}]*)\}(?:: (?:\w+\.)?(?:Variables|Environment|ProcessEnv)\b| = (?:await environmentOf|environment\b|process\.env\b))/g,
    ),
  ].flatMap(([, names = ""]) => names.match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? []);
  const found = new Set([...accesses, ...constants, ...destructured]);
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
