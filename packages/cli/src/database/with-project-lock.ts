import fs from "node:fs";
import path from "node:path";
import type { ProjectFolder } from "../project/project.js";
import { loadDatabaseLibrary } from "./library.js";

/**
 * Runs `work`, which changes the schema, the migrations or the tables of a project, while no other command does: `service dev`
 * migrates when the schema changes, also by another command, and a migration between the steps of `work` would look like
 * a table without one.
 *
 * @param log prints a line if another command works
 * @throws {StartupError} if another command works for one minute, such as `service dev` with a prompt
 */
export async function withProjectLock<Result>(
  { file }: ProjectFolder,
  work: () => Promise<Result>,
  log: (line: string) => void = (line) => console.error(line),
): Promise<Result> {
  const { withLockFile } = await loadDatabaseLibrary("migrations");
  const folder = path.dirname(file);
  fs.mkdirSync(folder, { recursive: true });
  return withLockFile(path.join(folder, "migrations.lock"), "changing the migrations", work, {
    onWait: () => log("Waiting for another command that changes the migrations, such as service dev …"),
  });
}
