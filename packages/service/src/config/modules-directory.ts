import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ConfigObject } from "@servicekit/config-loader";
import type { StartupIssue } from "@servicekit/core";

/** The folder of modules (contract C44, C55). */
export interface ModulesDirectory {
  /** An absolute path. */
  readonly path: string;
  /** Whether the folder was configured; the default one may be missing. */
  readonly isConfigured: boolean;
}

/** The input of the default folder. */
export interface ModulesContext {
  /** The root of the service's package. */
  readonly root: string;
  /** The running script. */
  readonly entry: string | undefined;
}

/**
 * The folder of modules: the configured one, below the package root; otherwise `dist/modules` if the running script is
 * in `dist`, or if there is no `src/modules`; otherwise `src/modules`.
 */
export function readModulesDirectory(
  configured: string | undefined,
  { root, entry }: ModulesContext,
): ModulesDirectory {
  if (configured !== undefined) return Object.freeze({ path: path.resolve(root, configured), isConfigured: true });
  const [source, built] = [path.join(root, "src", "modules"), path.join(root, "dist", "modules")];
  const isBuilt = isInside(entry, path.join(root, "dist")) || (!isFolder(source) && isFolder(built));
  return Object.freeze({ path: isBuilt ? built : source, isConfigured: false });
}

/** A configured folder must exist. */
export function modulesDirectoryIssues({ modulesDirectory: configured }: ConfigObject, root: string): StartupIssue[] {
  if (typeof configured !== "string" || configured === "") return [];
  const folder = path.resolve(root, configured);
  if (isFolder(folder)) return [];
  const found = fs.existsSync(folder) ? "is not a folder" : "does not exist";
  return [{ where: "modulesDirectory", message: `The folder ${folder} ${found}. The path is relative to ${root}.` }];
}

function isInside(entry: string | undefined, folder: string): boolean {
  if (entry === undefined) return false;
  return toRealPath(toFile(entry)).startsWith(toRealPath(folder) + path.sep);
}

/** `node .` and `node dist/main` resolve the file as a `require` does. */
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
