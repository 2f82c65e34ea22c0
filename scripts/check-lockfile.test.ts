import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const lockfile = fs.readFileSync(path.join(import.meta.dirname, "..", "pnpm-lock.yaml"), "utf8");

/** The first versions without known vulnerabilities; `npm audit` does not work with a mirror of the registry. */
const minimums = {
  express: "5.0.0",
  "body-parser": "2.0.0",
  qs: "6.15.3",
  "path-to-regexp": "8.4.2",
  "express-rate-limit": "8.3.0",
  "class-validator": "0.14.0",
  "class-transformer": "0.3.1",
};

function isBelow(version: string, minimum: string): boolean {
  const [one, other] = [version, minimum].map((text) => text.split(/[.-]/).map(Number));
  const at = [0, 1, 2].find((place) => one?.[place] !== other?.[place]) ?? 0;
  return (one?.[at] ?? 0) < (other?.[at] ?? 0);
}

/** A development dependency whose release line was fixed separately. */
const fixed: readonly string[] = ["path-to-regexp 6.3.0"];

it.each(Object.entries(minimums))("%s is %s or newer, wherever it is installed", (name, minimum) => {
  const found = [...lockfile.matchAll(new RegExp(`^ {2}${name}@(\\d[^:(]*)`, "gm"))].map(([, version = ""]) => version);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((version) => isBelow(version, minimum) && !fixed.includes(`${name} ${version}`))).toEqual([]);
});

it("npm start, which installs no development dependencies, installs what generates the Prisma client", () => {
  const importer = /^ {2}packages\/prisma:\n((?: {4}.*\n|\n(?= {4}))*)/m.exec(lockfile)?.[1] ?? "";
  const dependencies = importer.split(/^ {4}devDependencies:$/m, 1)[0] ?? "";
  for (const name of ["@prisma/client", "@prisma/client-generator-ts", "@prisma/prisma-schema-wasm"])
    expect(dependencies).toContain(`'${name}':`);
});
