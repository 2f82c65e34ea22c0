import { statSync } from "node:fs";
import path from "node:path";

/**
 * Finds the package of a directory: the nearest folder, itself or above, with a `package.json`.
 *
 * @returns the full path, or `undefined` if there is none
 */
export function findPackageRoot(directory: string): string | undefined {
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    if (isFile(path.join(folder, "package.json"))) return folder;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** An unreadable folder counts as having none. */
function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
