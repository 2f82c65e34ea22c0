import { mkdtempSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), "servicekit-modules-")));
afterAll(() => rm(place, { recursive: true, force: true }));

/** A project with these files below `src/modules`, gone after the tests; what this package depends on can be imported. */
export async function makeModules(files: Readonly<Record<string, string>>): Promise<string> {
  const project = await mkdtemp(path.join(place, "project-"));
  await symlink(path.join(import.meta.dirname, "../node_modules"), path.join(project, "node_modules"));
  await writeFile(path.join(project, "package.json"), '{"type":"module"}');
  const directory = path.join(project, "src", "modules");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), text);
  }
  return directory;
}
