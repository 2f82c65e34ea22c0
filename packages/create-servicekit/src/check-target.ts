import fs from "node:fs";
import path from "node:path";
import validateName from "validate-npm-package-name";
import { CreationError } from "./creation-error.js";

/** Files that a target folder may contain, because no user wrote them. */
const harmless: ReadonlySet<string> = new Set([".git", ".DS_Store", "Thumbs.db"]);

/** Why the name of a folder cannot be a package name; `undefined` if it can. */
export function nameIssue(directory: string): string | undefined {
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

/** Why a project cannot be written into a folder; `undefined` if it can. */
export function folderIssue(directory: string): string | undefined {
  const stats = fs.statSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return `${directory} is a file. Choose another name.`;
  const found = fs.readdirSync(directory).filter((name) => !harmless.has(name));
  if (found.length === 0) return undefined;
  const shown = found.slice(0, 3).join(", ") + (found.length > 3 ? " …" : "");
  return `The folder ${directory} is not empty (${shown}). Nothing was written: choose another name, or empty it.`;
}

/** @throws {CreationError} if the name is invalid, or the folder is not empty */
export function checkTarget(directory: string): void {
  const issue = nameIssue(directory) ?? folderIssue(directory);
  if (issue !== undefined) throw new CreationError(issue);
}
