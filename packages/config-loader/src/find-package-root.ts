import { statSync } from "node:fs";
import path from "node:path";

/**
 * Finds the package that a directory belongs to: the nearest folder, itself or above, with a `package.json`.
 *
 * @returns the whole path, or `undefined` when there is none
 */
export function findPackageRoot(directory: string): string | undefined {
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    if (isFile(path.join(folder, "package.json"))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** A folder that may not be read has no such file. */
function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
