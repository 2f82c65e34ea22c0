import fs from "node:fs";
import path from "node:path";
import { findConfigFile, findPackageRoot, importConfigFile, readEnvironment } from "@servicekit/config-loader/internal";

/** A folder with an application; all paths are absolute. */
export interface ProjectFolder {
  readonly root: string;
  readonly name: string;
  /** Where the embedded PostgreSQL stores its data. */
  readonly data: string;
  /** The development database of a schema for SQLite. */
  readonly file: string;
}

/**
 * The same with `prisma.config.*`, only for those who need it, because its import costs more than a service's start.
 */
export interface Project extends ProjectFolder {
  /** The Prisma schema: a file or a folder; `undefined` without one. */
  readonly schema: string | undefined;
  readonly migrations: string;
}

/** The variables for a command and its child processes. */
export type Variables = Readonly<Record<string, string>>;

/** Finds the folder of the project that contains a folder. */
export function findProjectFolder(directory = process.cwd()): ProjectFolder {
  const root = findPackageRoot(directory) ?? path.resolve(directory);
  const folder = path.join(root, ".data");
  return { root, name: nameOf(root), data: path.join(folder, "postgres"), file: path.join(folder, "dev.db") };
}

/** Finds the project that contains a folder. */
export async function findProject(directory = process.cwd()): Promise<Project> {
  const folder = findProjectFolder(directory);
  const { root } = folder;
  const { schema, migrations } = await readPrismaConfig(root);
  const schemas = ["prisma/schema.prisma", "schema.prisma", "prisma/schema", "prisma"];
  const found = [...(schema === undefined ? [] : [schema]), ...schemas].map((place) => path.resolve(root, place));
  return {
    ...folder,
    schema: found.find((place) => fs.existsSync(place)),
    migrations: path.resolve(root, migrations ?? "prisma/migrations"),
  };
}

/**
 * The values of `prisma.config.*`; empty if it fails, for example for a missing variable: Prisma reports that itself.
 */
async function readPrismaConfig(root: string): Promise<{ readonly schema?: string; readonly migrations?: string }> {
  try {
    const file = await findConfigFile(root, "prisma");
    if (file === undefined) return {};
    const { schema, migrations } = (await importConfigFile(file)) as {
      schema?: string;
      migrations?: { path?: string };
    };
    return {
      ...(typeof schema === "string" ? { schema } : {}),
      ...(typeof migrations?.path === "string" ? { migrations: migrations.path } : {}),
    };
  } catch {
    return {};
  }
}

function nameOf(root: string): string {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as { name?: unknown };
    return typeof name === "string" ? name : path.basename(root);
  } catch {
    return path.basename(root);
  }
}

/** The environment with the `.env` files of a project. */
export function environmentOf({ root }: ProjectFolder): Promise<Variables> {
  return readEnvironment(root, undefined, process.env);
}

/** The program in the sources. */
export const sourceProgram = (root: string): string | undefined =>
  ["src/main.ts", "src/index.ts", "src/main.js", "src/index.js", "main.ts", "main.js"]
    .map((place) => path.join(root, place))
    .find((file) => fs.existsSync(file));

/** The built program. */
export const builtProgram = (root: string): string | undefined =>
  ["dist/main.js", "dist/index.js"].map((place) => path.join(root, place)).find((file) => fs.existsSync(file));

/** The program that inspecting commands run. `service init` writes src/service.ts for a host such as Express. */
export function inspectedProgram(root: string): string | undefined {
  const parts = ["src/service.ts", "dist/service.js"].map((place) => path.join(root, place));
  const isPart = (file: string): boolean =>
    fs.existsSync(file) && /\bservice\s*\.\s*(?:create|init)\s*\(/.test(fs.readFileSync(file, "utf8"));
  return parts.find(isPart) ?? sourceProgram(root) ?? builtProgram(root);
}
