import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { findPnpm, folderOf, readManifest, withDependencies } from "./packed-packages.js";

const run = promisify(execFile);

const ours = "@servicekit/";

/** What the README tells to install: its first `npm install`, without what is optional. */
function toldToInstall(name: string): readonly string[] {
  const readme = fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8");
  const [, words = ""] = /^npm install (.*)$/m.exec(readme) ?? [];
  return words.split(/\s+/).filter((word) => word !== "");
}

/** What a README tells to install that is not ours. */
function othersBeside(name: string): Readonly<Record<string, string>> {
  const { peerDependencies: peers = {} } = readManifest(folderOf(name));
  const others = toldToInstall(name).filter((each) => !each.startsWith(ours));
  return Object.fromEntries(others.map((each) => [each, peers[each] ?? "*"]));
}

const oursBeside = (name: string): readonly string[] =>
  toldToInstall(name).flatMap((each) => (each.startsWith(ours) ? [each.slice(ours.length)] : []));

const fromTarballs = (
  names: Iterable<string>,
  tarballs: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> =>
  Object.fromEntries([...names].map((each) => [`${ours}${each}`, `file:${tarballs.get(each)}`]));

/** Installs a package from its tarball, and what its README tells to install beside it, into an empty folder. */
export async function installPacked(
  name: string,
  tarballs: ReadonlyMap<string, string>,
  project: string,
): Promise<void> {
  const dependencies = { ...othersBeside(name), ...fromTarballs(withDependencies(name), tarballs) };
  fs.mkdirSync(project, { recursive: true });
  fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  await run("npm", ["install", ...quiet], { cwd: project, shell: process.platform === "win32" });
}

/**
 * Installs each package into an empty project of its own, `projects/<name>` below a folder, where nothing can be imported but what
 * a manifest names: pnpm makes all of them at once.
 */
export async function installEachAlone(
  names: readonly string[],
  tarballs: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  for (const name of names) {
    const project = path.join(folder, "projects", name);
    const dependencies = { ...othersBeside(name), ...fromTarballs([name, ...oursBeside(name)], tarballs) };
    fs.mkdirSync(project, { recursive: true });
    fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ name, private: true, dependencies }));
  }
  const settings = {
    packages: ["projects/*"],
    // Ours stand on each other, and nothing of them is published yet.
    overrides: fromTarballs(tarballs.keys(), tarballs),
    hoist: false,
    strictDepBuilds: false,
    pmOnFail: "ignore",
  };
  // JSON is YAML.
  fs.writeFileSync(path.join(folder, "pnpm-workspace.yaml"), JSON.stringify(settings));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }));
  await run(findPnpm(), ["install", "--ignore-scripts", "--prefer-offline", "--no-frozen-lockfile"], { cwd: folder });
}
