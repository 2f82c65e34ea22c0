import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { filesIn } from "../files-in.js";
import { freePort } from "./free-port.js";

/** A script of a project that serves requests. */
export interface RunningScript {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has printed. */
  text(): string;
}

/** Makes a project use the packages of this repository from their tarballs, because they are not published yet. */
export function useTarballs(project: string, tarballs: ReadonlyMap<string, string>): void {
  const file = path.join(project, "package.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const [name, tarball] of tarballs) {
    if (name !== "create-servicekit") manifest.dependencies[`@servicekit/${name}`] = `file:${tarball}`;
  }
  fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/**
 * Runs a command of a project on a free port until it responds at a path.
 *
 * @throws if it exits
 */
export async function startScript(
  command: string,
  args: readonly string[],
  { env, ...options }: SpawnOptions,
  path: string,
): Promise<RunningScript> {
  const port = await freePort();
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(command, args, { ...options, env: { ...env, PORT: String(port) }, stdio: [...stdio] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
  const url = `http://localhost:${port}`;
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`${command} ${args.join(" ")} exited with ${child.exitCode}:\n${text}`);
    const response = await fetch(url + path).catch(() => undefined);
    if (response?.ok) return { url, child, text: () => text };
    await wait(50);
  }
}

/** Whether the embedded database of a project is running. */
export function hasDatabase(project: string): boolean {
  try {
    const file = path.join(project, ".data/postgres/cluster/postmaster.pid");
    process.kill(Number(fs.readFileSync(file, "utf8").split("\n")[0]), 0);
    return true;
  } catch {
    return false;
  }
}

/** The size of a folder on the disk, of which each file occupies complete blocks. */
export function megabytes(folder: string): number {
  const blocks = filesIn(folder).map((file) => fs.statSync(file).blocks);
  return Math.round((blocks.reduce((sum, each) => sum + each, 0) * 512) / 2 ** 20);
}

/** The number of packages in a `node_modules` folder, at every depth. */
export function packagesIn(folder: string): number {
  const places = filesIn(folder)
    .filter((file) => path.basename(file) === "package.json")
    .map((file) => `/${path.dirname(file)}`);
  return places.filter((place) => /\/node_modules\/(@[^/]+\/)?[^/]+$/.test(place)).length;
}
