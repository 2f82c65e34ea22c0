import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** The parts of a `package.json` that these tests read. */
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
  readonly os?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;

export const folderOf = (name: string): string => path.join(root, "packages", name);

/** A package and all of our packages that it depends on. */
export function withDependencies(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(readManifest(folderOf(name)).dependencies ?? {})) {
    if (dependency.startsWith("@servicekit/")) withDependencies(dependency.slice("@servicekit/".length), found);
  }
  return found;
}

/** @returns the tarballs of packages by name, as each would be published */
export function tarballsOf(names: Iterable<string>): ReadonlyMap<string, string> {
  const folder = inject("packedFolder");
  return new Map([...names].map((name) => [name, path.join(folder, tarballNameOf(readManifest(folderOf(name))))]));
}

const tarballNameOf = ({ name, version }: Manifest): string =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;

/** The pinned pnpm of this repository, or the one on PATH: it replaces `workspace:` by real ranges. */
export function findPnpm(): string {
  const version = readManifest(root).packageManager?.replace(/^pnpm@|\+.*$/g, "");
  const pinned = path.join(root, ".tools", `pnpm-${version}`, "node_modules", ".bin", "pnpm");
  return fs.existsSync(pinned) ? pinned : "pnpm";
}
