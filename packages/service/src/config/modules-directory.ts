import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ConfigObject } from "@servicekit/config-loader";
import type { StartFault } from "@servicekit/core";

/** Where modules are looked for (contract C44, C55). */
export interface ModulesDirectory {
  /** A whole path. */
  readonly path: string;
  /** Whether someone asked for this folder; the default one need not be there. */
  readonly isConfigured: boolean;
}

/** What the default folder depends on. */
export interface ModulesSurroundings {
  /** The root of the package that the service belongs to. */
  readonly root: string;
  /** The script that runs. */
  readonly entry: string | undefined;
}

/**
 * The folder of modules: the configured one, below the package root; else `dist/modules` where the script that runs lies
 * in `dist`, or where there is no `src/modules`; else `src/modules`.
 */
export function readModulesDirectory(
  configured: string | undefined,
  { root, entry }: ModulesSurroundings,
): ModulesDirectory {
  if (configured !== undefined) return Object.freeze({ path: path.resolve(root, configured), isConfigured: true });
  const [source, built] = [path.join(root, "src", "modules"), path.join(root, "dist", "modules")];
  const isBuilt = isInside(entry, path.join(root, "dist")) || (!isFolder(source) && isFolder(built));
  return Object.freeze({ path: isBuilt ? built : source, isConfigured: false });
}

/** A configured folder must be there. */
export function modulesDirectoryFaults({ modulesDirectory: told }: ConfigObject, root: string): StartFault[] {
  if (typeof told !== "string" || told === "") return [];
  const folder = path.resolve(root, told);
  if (isFolder(folder)) return [];
  const found = fs.existsSync(folder) ? "is no folder" : "is not there";
  return [{ where: "modulesDirectory", message: `The folder ${folder} ${found}. It is looked for below ${root}.` }];
}

function isInside(entry: string | undefined, folder: string): boolean {
  if (entry === undefined) return false;
  return toRealPath(toFile(entry)).startsWith(toRealPath(folder) + path.sep);
}

/** `node .` and `node dist/main` name the file as a `require` does. */
function toFile(entry: string): string {
  try {
    return createRequire(import.meta.url).resolve(path.resolve(entry));
  } catch {
    return entry;
  }
}

function toRealPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

const isFolder = (folder: string): boolean => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
