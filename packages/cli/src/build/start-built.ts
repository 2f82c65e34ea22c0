import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { fault } from "../command-error.js";
import { loadDatabaseLibrary } from "../database/library.js";
import { builtProgram, environmentOf, findProjectFolder } from "../project/project.js";

/**
 * Runs what was built, in this process. Without `DATABASE_URL`, and not in production, the database of development serves it,
 * where there is one.
 *
 * @throws {CommandError} where nothing was built
 */
export async function startBuilt(args: readonly string[]): Promise<void> {
  const project = findProjectFolder();
  const program = builtProgram(project.root);
  if (program === undefined) throw fault("dist/main.js", "is not there: service build makes it.");
  const { DATABASE_URL: url = "", NODE_ENV: mode } = await environmentOf(project);
  if (url === "" && mode !== "production" && fs.existsSync(project.data)) {
    const { startDevDatabase } = await loadDatabaseLibrary("service start");
    const database = await startDevDatabase({ directory: project.data });
    console.log(`No DATABASE_URL: with the database of development, in ${path.relative(process.cwd(), project.data)}.`);
    process.env.DATABASE_URL = database.url;
  }
  if (process.env.npm_lifecycle_event !== undefined) endWithParent();
  process.argv = [process.argv[0] ?? "node", program, ...args];
  keepCompiled(path.join(project.root, "node_modules", ".cache", "servicekit", "compiled"));
  await import(pathToFileURL(program).href);
}

/** Lets Node keep what it compiles for the next start; before Node 22, and where it may not write there, it does not. */
function keepCompiled(folder: string): void {
  (module as { readonly enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(folder);
}

/** "npm run" leaves its children behind when it is killed: notice the change of parent. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
