import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type IssueList, nearestWord } from "@servicekit/core/internal";

/** The files of jobs that are loaded, in the folder of jobs. */
export const jobFile = /^([^.]+)\.job\.(?:m?ts|m?js|cjs)$/;

/** The name of a file in its parts: the last word before the ending decides its kind. */
const sourceFile = /^(.*?)(?:\.([^.]+))?\.([cm]?[jt]sx?)$/;

/** Folders of other programs, and of results of tools. */
const ignored = /^(?:\.|node_modules$|generated$)/;

/**
 * Finds files that define jobs and are not loaded: in another folder of the sources, with a misspelt kind or without one, or
 * with an ending that is not loaded.
 *
 * @param folder the folder of jobs
 * @param root the folder of the package
 */
export async function findMisplacedJobs(folder: string, root: string, issues: IssueList): Promise<void> {
  const sources = path.dirname(folder);
  // Beside its sources a package has folders of every kind.
  const places = sources === root ? [folder, path.join(root, "modules")] : [sources];
  for (const place of places.filter((one) => existsSync(one))) await search(place);

  async function search(directory: string): Promise<void> {
    for (const entry of (await readdir(directory, { withFileTypes: true })).sort(byName)) {
      const place = path.join(directory, entry.name);
      if (entry.isDirectory()) {
        if (!ignored.test(entry.name)) await search(place);
        continue;
      }
      const [, stem = "", kind = "", ending = ""] = sourceFile.exec(entry.name) ?? [];
      const isInside = directory === folder || directory.startsWith(folder + path.sep);
      if (stem === "" || (directory === folder && jobFile.test(entry.name))) continue;
      if (!/^jobs?$/i.test(kind) && !(isInside && (await isProbablyJob(kind, place)))) continue;
      const right = `${stem.replaceAll(".", "-")}.job.${ending.replace(/x$/, "").replace("cts", "ts")}`;
      const meant = directory === folder ? right : path.join(path.relative(root, folder), right);
      issues.add(path.relative(root, place), `This file is not read. Did you mean ${meant}?`);
    }
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** Whether a file in the folder of jobs has a misspelt kind, or defines a job without one. */
async function isProbablyJob(kind: string, place: string): Promise<boolean> {
  if (kind !== "") return kind !== "d" && nearestWord(kind, ["job"]) !== undefined;
  return /\bexport\s+default\s+defineJob\b/.test(await readFile(place, "utf8"));
}
