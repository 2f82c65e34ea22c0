import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { explainExceptions } from "@servicekit/config-loader/internal";
import { commandError } from "../command-error.js";
import { developmentFile } from "../database/acquire-database.js";
import { loadDatabaseLibrary } from "../database/library.js";
import { builtProgram, environmentOf, findProjectFolder, type ProjectFolder } from "../project/project.js";

/**
 * Runs the built program in this process. Without `DATABASE_URL`, and outside production, it uses the development
 * database if there is one.
 *
 * @throws {CommandError} if nothing was built
 */
export async function startBuilt(args: readonly string[]): Promise<void> {
  const project = findProjectFolder();
  const program = builtProgram(project.root);
  if (program === undefined) throw commandError("dist/main.js", "does not exist. Run npx service build first.");
  const { DATABASE_URL: url = "", NODE_ENV: mode } = await environmentOf(project);
  if (url === "" && mode !== "production") await useDevelopmentDatabase(project);
  if (process.env.npm_lifecycle_event !== undefined) endWithParent();
  process.argv = [process.argv[0] ?? "node", program, ...args];
  cacheCompiled(path.join(project.root, "node_modules", ".cache", "servicekit", "compiled"));
  explainExceptions();
  await import(pathToFileURL(program).href);
}

async function useDevelopmentDatabase(project: ProjectFolder): Promise<void> {
  const file = fs.existsSync(project.file) ? await developmentFile(project) : undefined;
  if (file === undefined && !fs.existsSync(project.data)) return;
  process.env.DATABASE_URL = file ?? (await startEmbedded(project));
  const place = path.relative(process.cwd(), file === undefined ? project.data : project.file);
  console.log(`DATABASE_URL is not set: using the development database in ${place}.`);
}

async function startEmbedded({ data }: ProjectFolder): Promise<string> {
  const { startDevDatabase } = await loadDatabaseLibrary("service start");
  return (await startDevDatabase({ directory: data })).url;
}

/** Enables Node's compile cache for the next start; has no effect before Node 22, or if the folder is not writable. */
function cacheCompiled(folder: string): void {
  (module as { readonly enableCompileCache?: (folder: string) => unknown }).enableCompileCache?.(folder);
}

/** "npm run" does not stop its children when it is killed, so the change of the parent is checked. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
