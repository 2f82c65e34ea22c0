import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { findPnpm, folderOf, readManifest, withDependencies } from "./packed-packages.js";

const run = promisify(execFile);

const ours = "@servicekit/";

/** The install command of a README: its first `npm install`, without optional packages. */
function installHint(name: string): readonly string[] {
  const readme = fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8");
  const [, words = ""] = /^npm install (.*)$/m.exec(readme) ?? [];
  return words.split(/\s+/).filter((word) => word !== "");
}

/** The packages of that command that are not ours. */
function othersBeside(name: string): Readonly<Record<string, string>> {
  const { peerDependencies: peers = {} } = readManifest(folderOf(name));
  const others = installHint(name).filter((each) => !each.startsWith(ours));
  return Object.fromEntries(others.map((each) => [each, peers[each] ?? "*"]));
}

const ownedBeside = (name: string): readonly string[] =>
  installHint(name).flatMap((each) => (each.startsWith(ours) ? [each.slice(ours.length)] : []));

const fromTarballs = (
  names: Iterable<string>,
  tarballs: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> =>
  Object.fromEntries([...names].map((each) => [`${ours}${each}`, `file:${tarballs.get(each)}`]));

/** Installs a package from its tarball, with the other packages of its README's command, into an empty folder. */
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
 * Installs each package into a separate empty project, `projects/<name>` below a folder, where only declared packages
 * can be imported: pnpm creates all of them together.
 */
export async function installEachAlone(
  names: readonly string[],
  tarballs: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  for (const name of names) {
    const project = path.join(folder, "projects", name);
    const dependencies = { ...othersBeside(name), ...fromTarballs([name, ...ownedBeside(name)], tarballs) };
    fs.mkdirSync(project, { recursive: true });
    fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ name, private: true, dependencies }));
  }
  const settings = {
    packages: ["projects/*"],
    // Our packages depend on each other, and are not published yet.
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
