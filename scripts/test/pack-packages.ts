import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { inject } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What the tests of packed packages read in a `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
  readonly license?: string;
  readonly author?: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;

export const folderOf = (name: string): string => path.join(root, "packages", name);

/** A package and all of ours below it. */
export function withDependencies(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(readManifest(folderOf(name)).dependencies ?? {})) {
    if (dependency.startsWith("@servicekit/")) withDependencies(dependency.slice("@servicekit/".length), found);
  }
  return found;
}

/** Builds packages and packs each into a tarball as it would be published; returns the tarballs by name. */
export async function packPackages(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = inject("packedFolder");
  await run(path.join(root, "node_modules", ".bin", "tsc"), ["-b", ...names.map(folderOf)], { cwd: root });
  return new Map(await Promise.all(names.map(async (name) => [name, await packOnce(name, folder)] as const)));
}

/** Packs a package once in a run of tests: whoever comes first does it, and the others wait for it. */
async function packOnce(name: string, folder: string): Promise<string> {
  const [packed, packing] = [path.join(folder, name), path.join(folder, `${name}.packing`)];
  while (!fs.existsSync(packed)) {
    if (!makeFolder(packing)) {
      await wait(100);
      continue;
    }
    try {
      if (!fs.existsSync(packed)) await pack(name, packing, packed);
    } finally {
      fs.rmSync(packing, { recursive: true, force: true });
    }
  }
  const [tarball = ""] = fs.readdirSync(packed);
  return path.join(packed, tarball);
}

/** @returns whether it was not there */
function makeFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function pack(name: string, packing: string, packed: string): Promise<void> {
  const pnpm = findPnpm();
  // What a build does beside compiling, such as copying a bundle.
  const { build } = readManifest(folderOf(name)).scripts ?? {};
  if (build !== "tsc -b") await run(pnpm, ["run", "build"], { cwd: folderOf(name) });
  const into = path.join(packing, "into");
  await run(pnpm, ["pack", "--pack-destination", into], { cwd: folderOf(name) });
  fs.renameSync(into, packed);
}

/** The pinned pnpm of this repository, or the one on PATH: it writes real ranges in place of `workspace:`. */
export function findPnpm(): string {
  const version = readManifest(root).packageManager?.replace(/^pnpm@|\+.*$/g, "");
  const pinned = path.join(root, ".tools", `pnpm-${version}`, "node_modules", ".bin", "pnpm");
  return fs.existsSync(pinned) ? pinned : "pnpm";
}
