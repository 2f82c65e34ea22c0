import { readdir } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { makeStartupIssue } from "@servicekit/core/internal";
import { findPackageRoot } from "../find-package-root.js";

const endings = ["ts", "mts", "js", "mjs", "cjs", "json"] as const;

/** Folders of a package in which a configuration file is a mistake. */
const otherFolders = ["src", "config", "dist"] as const;

/**
 * Finds `<baseName>.config.{ts,mts,js,mjs,cjs,json}` in a directory, or in the package root above it: the nearest
 * folder with a `package.json` (contract C39).
 *
 * @returns the full path, or `undefined` if there is none
 * @throws {StartupError} if a folder contains two of them, or if there is one in `src`, `config` or `dist` of the package
 */
export async function findConfigFile(directory: string, baseName: string): Promise<string | undefined> {
  const names = endings.map((ending) => `${baseName}.config.${ending}`);
  const start = path.resolve(directory);
  const root = findPackageRoot(start) ?? start;
  const file = await findIn(new Set([start, root]), names, baseName);
  for (const name of otherFolders) {
    const folder = path.join(root, name);
    // A compiled program may contain the compiled configuration.
    if (folder === start || (name === "dist" && file !== undefined)) continue;
    const [other] = await filesIn(folder, names);
    if (other === undefined) continue;
    const place = path.join(folder, other);
    const message =
      file === undefined
        ? `${place} is not read. Move it to ${path.join(root, other)}.`
        : `${place} is not read, because the configuration is ${file}. Move its values there, and remove it.`;
    throw new StartupError([makeStartupIssue({ where: `${baseName}.config`, message })]);
  }
  return file;
}

async function findIn(
  folders: Iterable<string>,
  names: readonly string[],
  baseName: string,
): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await filesIn(folder, names);
    if (found.length > 1) {
      const message = `${folder} contains ${found.join(" and ")}. Remove all but one.`;
      throw new StartupError([makeStartupIssue({ where: `${baseName}.config`, message })]);
    }
    if (found[0] !== undefined) return path.join(folder, found[0]);
  }
  return undefined;
}

/** Those of the names that are files of a folder. An unreadable folder counts as empty. */
async function filesIn(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const present = new Set(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name));
  return names.filter((name) => present.has(name));
}
