import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

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
export async function packPackages(names: readonly string[], target: string): Promise<ReadonlyMap<string, string>> {
  const pnpm = findPnpm();
  await run(path.join(root, "node_modules", ".bin", "tsc"), ["-b", ...names.map(folderOf)], { cwd: root });
  const packed = names.map(async (name) => {
    const folder = path.join(target, name);
    // What a build does beside compiling, such as copying a bundle.
    const { build } = readManifest(folderOf(name)).scripts ?? {};
    if (build !== "tsc -b") await run(pnpm, ["run", "build"], { cwd: folderOf(name) });
    await run(pnpm, ["pack", "--pack-destination", folder], { cwd: folderOf(name) });
    const [tarball = ""] = fs.readdirSync(folder);
    return [name, path.join(folder, tarball)] as const;
  });
  return new Map(await Promise.all(packed));
}

/** The pinned pnpm of this repository, or the one on PATH: it writes real ranges in place of `workspace:`. */
function findPnpm(): string {
  const version = readManifest(root).packageManager?.replace(/^pnpm@|\+.*$/g, "");
  const pinned = path.join(root, ".tools", `pnpm-${version}`, "node_modules", ".bin", "pnpm");
  return fs.existsSync(pinned) ? pinned : "pnpm";
}
