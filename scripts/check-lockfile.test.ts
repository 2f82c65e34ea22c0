import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const lockfile = fs.readFileSync(path.join(import.meta.dirname, "..", "pnpm-lock.yaml"), "utf8");

/** The first versions without faults that are known; `npm audit` has no answer where only a mirror is reached. */
const floors = {
  express: "5.0.0",
  "body-parser": "2.0.0",
  qs: "6.15.3",
  "path-to-regexp": "8.4.2",
  "express-rate-limit": "8.3.0",
  "class-validator": "0.14.0",
  "class-transformer": "0.3.1",
};

function isBelow(version: string, floor: string): boolean {
  const [one, other] = [version, floor].map((text) => text.split(/[.-]/).map(Number));
  const at = [0, 1, 2].find((place) => one?.[place] !== other?.[place]) ?? 0;
  return (one?.[at] ?? 0) < (other?.[at] ?? 0);
}

/** What only tools of development bring, from a line that was mended by itself. */
const mended: readonly string[] = ["path-to-regexp 6.3.0"];

it.each(Object.entries(floors))("R28 %s is %s or newer, wherever it is installed", (name, floor) => {
  const found = [...lockfile.matchAll(new RegExp(`^ {2}${name}@(\\d[^:(]*)`, "gm"))].map(([, version = ""]) => version);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((version) => isBelow(version, floor) && !mended.includes(`${name} ${version}`))).toEqual([]);
});
