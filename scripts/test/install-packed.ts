import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { folderOf, readManifest, withDependencies } from "./pack-packages.js";

const run = promisify(execFile);

/** What the README tells to install beside our packages: its first `npm install`, without what is optional. */
function installedBeside(readme: string): string[] {
  const [, words = ""] = /^npm install (.*)$/m.exec(readme) ?? [];
  return words.split(/\s+/).filter((word) => word !== "" && !word.startsWith("@servicekit/"));
}

/** Installs a package from its tarball, and what its README tells to install beside it, into an empty folder. */
export async function installPacked(
  name: string,
  tarballs: ReadonlyMap<string, string>,
  project: string,
): Promise<void> {
  const text = fs.readFileSync(path.join(folderOf(name), "README.md"), "utf8");
  const ours = [...withDependencies(name)].map((each) => [`@servicekit/${each}`, `file:${tarballs.get(each)}`]);
  const { peerDependencies: peers = {} } = readManifest(folderOf(name));
  const others = installedBeside(text).map((each) => [each, peers[each] ?? "*"]);
  const dependencies = Object.fromEntries([...others, ...ours]);
  fs.mkdirSync(project, { recursive: true });
  fs.writeFileSync(path.join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  await run("npm", ["install", ...quiet], { cwd: project, shell: process.platform === "win32" });
}
