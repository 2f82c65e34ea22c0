import fs from "node:fs";
import path from "node:path";
import type { Manifest } from "./manifest.js";

/** A file of a Prisma schema. */
export interface SchemaFile {
  /** Its path relative to the project. */
  readonly place: string;
  readonly text: string;
}

const places = ["prisma/schema.prisma", "schema.prisma", "prisma/schema", "prisma"];
const configs = ["ts", "mts", "cts", "js", "mjs", "cjs"].map((extension) => `prisma.config.${extension}`);

/** The files of a project's Prisma schema, where Prisma looks for it; empty without one. */
export function findSchema(root: string, manifest: Manifest): readonly SchemaFile[] {
  const named = [configuredPlace(root), manifest.prisma?.schema].filter((place) => typeof place === "string");
  for (const place of [...named, ...places]) {
    const found = filesAt(path.resolve(root, place));
    if (found.length > 0)
      return found.map((file) => ({ place: path.relative(root, file), text: fs.readFileSync(file, "utf8") }));
  }
  return [];
}

/** The property `schema` of `prisma.config.*`, if it is a string or a join of strings. The file is not run. */
function configuredPlace(root: string): string | undefined {
  const file = configs.map((name) => path.join(root, name)).find((one) => fs.existsSync(one));
  if (file === undefined) return undefined;
  const [, parts = ""] =
    /\bschema:\s*(?:path\.)?(?:join\()?\s*((?:["'][^"'\n]+["']\s*,?\s*)+)/.exec(fs.readFileSync(file, "utf8")) ?? [];
  const names = [...parts.matchAll(/["']([^"']+)["']/g)].map(([, name = ""]) => name);
  return names.length === 0 ? undefined : path.join(...names);
}

function filesAt(place: string): readonly string[] {
  const stats = fs.statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [place];
  return fs
    .readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".prisma"))
    .sort()
    .map((name) => path.join(place, name));
}
