import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { readManifest } from "./test/packed-packages.js";

const root = path.join(import.meta.dirname, "..");
const run = promisify(execFile);
const changeset = path.join(root, "node_modules", "@changesets", "cli", "bin.js");

/** A copy of everything that a release reads, in a separate repository. */
async function copyOfManifests(): Promise<string> {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-release-"));
  onTestFinished(() => fs.rmSync(copy, { recursive: true, force: true }));
  const groups = ["packages", "apps"].flatMap((group) =>
    fs.readdirSync(path.join(root, group)).map((name) => path.join(group, name)),
  );
  const files = groups.flatMap((folder) => ["package.json", "CHANGELOG.md"].map((name) => path.join(folder, name)));
  for (const file of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ".changeset", ...files]) {
    const from = path.join(root, file);
    if (fs.existsSync(from)) fs.cpSync(from, path.join(copy, file), { recursive: true });
  }
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], { cwd: copy });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=All");
  return copy;
}

it("releases all packages with one version, increased as the changesets define, each with a changelog", async () => {
  const copy = await copyOfManifests();
  const texts = fs.readdirSync(path.join(root, ".changeset")).filter((name) => name.endsWith(".md"));
  const text = texts.map((name) => fs.readFileSync(path.join(root, ".changeset", name), "utf8")).join("\n");
  const major = (version: string): number => Number(version.split(".", 1)[0]);
  const before = major(readManifest(path.join(root, "packages", "service")).version);

  await run(process.execPath, [changeset, "version"], { cwd: copy });

  const names = fs.readdirSync(path.join(copy, "packages"));
  const versions = new Set(names.map((name) => readManifest(path.join(copy, "packages", name)).version));
  expect([...versions]).toHaveLength(1);
  const [version = ""] = versions;
  expect(major(version)).toBe(/^"@servicekit\/[^"]+": major$/m.test(text) ? before + 1 : before);
  for (const name of names) {
    expect(fs.readFileSync(path.join(copy, "packages", name, "CHANGELOG.md"), "utf8")).toContain(`## ${version}`);
  }
}, 60_000);

it("passes the required peers of each package on to the packages that depend on it", () => {
  const folders = fs.readdirSync(path.join(root, "packages")).map((name) => path.join(root, "packages", name));
  const manifests = new Map(folders.map(readManifest).map((manifest) => [manifest.name, manifest]));
  const missing = [...manifests.values()].flatMap(({ name, dependencies = {}, peerDependencies = {} }) =>
    Object.keys(dependencies).flatMap((dependency) => {
      const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = manifests.get(dependency) ?? {};
      const required = Object.keys(peers).filter((peer) => meta[peer]?.optional !== true);
      return required
        .filter((peer) => dependencies[peer] === undefined && peerDependencies[peer] === undefined)
        .map((peer) => `${name} lacks ${peer}, a peer of ${dependency}`);
    }),
  );
  expect(missing).toEqual([]);
});
