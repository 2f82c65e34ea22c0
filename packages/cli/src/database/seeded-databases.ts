import fs from "node:fs";
import path from "node:path";
import type { ProjectFolder } from "../project/project.js";
import { loadDatabaseLibrary } from "./library.js";

/** The file with the ids of the databases that need no seed, one in each line. */
const fileOf = ({ root }: ProjectFolder): string => path.join(root, "node_modules", ".cache", "servicekit", "seeded");

const readIds = (project: ProjectFolder): readonly string[] => {
  const file = fileOf(project);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
};

/**
 * Whether a database has not been seeded, however many commands have applied migrations to it before.
 *
 * @param isNew whether all migrations were applied just now, also those that insert rows; otherwise a database with rows has data
 */
export async function needsSeed(url: string, project: ProjectFolder, isNew: boolean): Promise<boolean> {
  const library = await loadDatabaseLibrary("migrations");
  const { id, hasRows } = await library.readDatabaseContent(url);
  if (id === undefined || readIds(project).includes(id)) return false;
  return isNew || !hasRows;
}

/** Records that a database needs no seed any more. */
export async function recordSeed(url: string, project: ProjectFolder): Promise<void> {
  const library = await loadDatabaseLibrary("migrations");
  const { id } = await library.readDatabaseContent(url);
  const ids = readIds(project);
  if (id === undefined || ids.includes(id)) return;
  fs.mkdirSync(path.dirname(fileOf(project)), { recursive: true });
  fs.writeFileSync(fileOf(project), `${[...ids, id].join("\n")}\n`);
}
