import { mkdtempSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/**
 * Creates projects with files below `src/modules`, deleted after the tests of the calling file; they can import what
 * the package can import.
 *
 * @param test the folder of the package's tests
 */
export function modulesOf(test: string): (files: Readonly<Record<string, string>>) => Promise<string> {
  const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), "servicekit-modules-")));
  afterAll(() => rm(place, { recursive: true, force: true }));
  return async (files) => {
    const project = await mkdtemp(path.join(place, "project-"));
    await symlink(path.join(test, "../node_modules"), path.join(project, "node_modules"));
    await writeFile(path.join(project, "package.json"), '{"type":"module"}');
    const directory = path.join(project, "src", "modules");
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
      await writeFile(path.join(directory, name), text);
    }
    return directory;
  };
}
