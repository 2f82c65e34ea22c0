import { readdir } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { findPackageRoot } from "../find-package-root.js";

const endings = ["ts", "mts", "js", "mjs", "cjs", "json"] as const;

/**
 * Finds `<baseName>.config.{ts,mts,js,mjs,cjs,json}` in a directory, or in the package root above it: the nearest
 * folder with a `package.json` (contract C39).
 *
 * @returns the full path, or `undefined` if there is none
 * @throws {StartupError} if a folder contains two of them
 */
export async function findConfigFile(directory: string, baseName: string): Promise<string | undefined> {
  const names = endings.map((ending) => `${baseName}.config.${ending}`);
  const start = path.resolve(directory);
  for (const folder of new Set([start, findPackageRoot(start) ?? start])) {
    const present = new Set(await namesIn(folder));
    const found = names.filter((name) => present.has(name));
    if (found.length > 1) {
      const message = `${folder} contains ${found.join(" and ")}. Remove all but one.`;
      throw new StartupError([makeStartupIssue({ where: `${baseName}.config`, message })]);
    }
    if (found[0] !== undefined) return path.join(folder, found[0]);
  }
  return undefined;
}

/** The files of a folder. An unreadable folder above counts as empty. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
}
