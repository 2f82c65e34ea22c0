import fs from "node:fs";
import path from "node:path";
import { InitError } from "./init-error.js";

/** The parts of a `package.json` that decide what is added. */
export interface Manifest {
  readonly type?: unknown;
  readonly prisma?: { readonly schema?: unknown };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** @throws {InitError} if the folder has no `package.json`, or it is not JSON */
export function readManifest(root: string): Manifest {
  const file = path.join(root, "package.json");
  if (!fs.existsSync(file)) throw new InitError(`${root} has no package.json. Run the command in a project's folder.`);
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as Manifest;
  } catch (error) {
    throw new InitError(`package.json is not JSON: ${(error as Error).message}`);
  }
}

/** The range of a dependency of any kind. */
export const rangeOf = ({ dependencies, devDependencies }: Manifest, name: string): string | undefined =>
  dependencies?.[name] ?? devDependencies?.[name];

/** The installed version of a package, in the folder or one above it. */
export function installedVersion(root: string, name: string): string | undefined {
  const file = path.join(root, "node_modules", name, "package.json");
  if (fs.existsSync(file)) return (JSON.parse(fs.readFileSync(file, "utf8")) as { version?: string }).version;
  const parent = path.dirname(root);
  return parent === root ? undefined : installedVersion(parent, name);
}
