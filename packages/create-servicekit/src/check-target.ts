import fs from "node:fs";
import path from "node:path";
import validateName from "validate-npm-package-name";
import { CreationError } from "./creation-error.js";

/** What may lie in a folder that a project is written into: it is nobody's work. */
const harmless: ReadonlySet<string> = new Set([".git", ".DS_Store", "Thumbs.db"]);

/** Why a folder's name cannot be that of a package; `undefined` when it can. */
export function nameFault(directory: string): string | undefined {
  const name = path.basename(path.resolve(directory));
  const { validForNewPackages, errors = [], warnings = [] } = validateName(name);
  if (validForNewPackages) return undefined;
  const [why = "it is not allowed"] = [...errors, ...warnings];
  return `"${name}" cannot be the name of an npm package: ${why}. Try ${suggestion(name)}.`;
}

function suggestion(name: string): string {
  const near = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return near !== "" && validateName(near).validForNewPackages ? `"${near}"` : `"my-api"`;
}

/** What stands in the way of writing a project into a folder; `undefined` when nothing does. */
export function folderFault(directory: string): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return `${directory} is a file. Choose another name.`;
  const found = fs.readdirSync(directory).filter((name) => !harmless.has(name));
  if (found.length === 0) return undefined;
  const shown = found.slice(0, 3).join(", ") + (found.length > 3 ? " …" : "");
  return `The folder ${directory} is not empty (${shown}). Nothing was written: choose another name, or empty it.`;
}

/** @throws {CreationError} with what is wrong with the name, or stands in the way */
export function checkTarget(directory: string): void {
  const fault = nameFault(directory) ?? folderFault(directory);
  if (fault !== undefined) throw new CreationError(fault);
}
