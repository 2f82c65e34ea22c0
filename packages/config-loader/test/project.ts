import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll } from "vitest";

const packageRoot = path.join(import.meta.dirname, "..");

const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), "servicekit-config-")));
afterAll(() => rm(place, { recursive: true, force: true }));

type Files = Readonly<Record<string, string | Uint8Array>>;

interface ImportResult {
  readonly value?: unknown;
  readonly name?: string;
  readonly message?: string;
}

/** A folder with these files, deleted after the tests. The package's dependencies can be imported there. */
export async function makeProject(files: Files): Promise<string> {
  const folder = await mkdtemp(path.join(place, "project-"));
  await symlink(path.join(packageRoot, "node_modules"), path.join(folder, "node_modules"));
  for (const [name, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

const run = promisify(execFile);

/**
 * Runs a script in a separate Node process, in which only this package loads TypeScript (including its own sources).
 * The script has the package as `loader` and reports a value with `report`.
 */
export async function runInNode(folder: string, script: string): Promise<unknown> {
  const code = `
    await import(${JSON.stringify(path.join(packageRoot, "hooks", "register.mjs"))});
    const loader = {
      ...(await import(${JSON.stringify(path.join(packageRoot, "src", "index.ts"))})),
      ...(await import(${JSON.stringify(path.join(packageRoot, "src", "internal.ts"))})),
    };
    const report = (value) => process.stdout.write(JSON.stringify(value));
    ${script}`;
  const { stdout } = await run(
    process.execPath,
    ["--conditions=servicekit-source", "--input-type=module", "--eval", code],
    {
      cwd: folder,
    },
  );
  return JSON.parse(stdout);
}

/** The result of loading the first file of each folder: its value, or the name and message of the error. */
export async function importInNode(projects: readonly Files[]): Promise<ImportResult[]> {
  const folders = await Promise.all(
    projects.map(async (files) => [await makeProject(files), Object.keys(files)[0] ?? ""] as const),
  );
  const script = `
    const results = [];
    for (const [folder, file] of ${JSON.stringify(folders)}) {
      process.chdir(folder);
      results.push(await loader.importConfigFile(file).then(
        (value) => ({ value }),
        ({ name, message }) => ({ name, message }),
      ));
    }
    report(results);`;
  return (await runInNode(packageRoot, script)) as ImportResult[];
}
