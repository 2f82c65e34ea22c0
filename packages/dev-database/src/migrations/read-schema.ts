import fs from "node:fs";
import path from "node:path";
import type { SchemasContainer } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { MigrationError } from "./migration-error.js";

/** A Prisma schema: its text, or the folder with its `.prisma` files at any depth. */
export type SchemaSource = string | { readonly directory: string };

/** @throws MigrationError when the folder cannot be read or contains no schema. */
export function readSchema(source: SchemaSource): SchemasContainer {
  if (typeof source === "string") return { files: [{ path: "schema.prisma", content: source }] };
  const { directory } = source;
  let names: string[];
  try {
    names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
  } catch (cause) {
    throw new MigrationError(`The folder ${directory} of the schema cannot be read.`, { cause });
  }
  const files = names
    .filter((name) => name.endsWith(".prisma"))
    .sort()
    .map((name) => ({ path: name, content: fs.readFileSync(path.join(directory, name), "utf8") }));
  if (files.length === 0) throw new MigrationError(`There is no .prisma file in ${directory}.`);
  return { files };
}
