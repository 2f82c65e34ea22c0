import fs from "node:fs";
import path from "node:path";
import type { SchemasContainer } from "@prisma/schema-engine-wasm/schema_engine_bg";

/** A Prisma schema: its text, or the folder whose `.prisma` files, at any depth, make it up. */
export type SchemaSource = string | { readonly directory: string };

export function readSchema(source: SchemaSource): SchemasContainer {
  if (typeof source === "string") return { files: [{ path: "schema.prisma", content: source }] };
  const names = fs.readdirSync(source.directory, { recursive: true, encoding: "utf8" });
  const files = names
    .filter((name) => name.endsWith(".prisma"))
    .sort()
    .map((name) => ({ path: name, content: fs.readFileSync(path.join(source.directory, name), "utf8") }));
  if (files.length === 0) throw new Error(`There is no .prisma file in ${source.directory}.`);
  return { files };
}
