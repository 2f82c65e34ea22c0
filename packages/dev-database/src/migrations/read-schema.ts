import fs from "node:fs";
import path from "node:path";
import type { SchemasContainer } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { MigrationError } from "./migration-error.js";

/** A Prisma schema: its text, or the folder with its `.prisma` files at any depth. */
export type SchemaSource = string | { readonly directory: string };

/** @throws MigrationError when the folder cannot be read or contains no schema. */
export function readSchema(source: SchemaSource): SchemasContainer {
  if (typeof source === "string") return { files: [{ path: "schema.prisma", content: withUtcDefaults(source) }] };
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
    .map((name) => ({ path: name, content: withUtcDefaults(fs.readFileSync(path.join(directory, name), "utf8")) }));
  if (files.length === 0) throw new MigrationError(`There is no .prisma file in ${directory}.`);
  return { files };
}

/**
 * Writes the constant defaults of dates in UTC, as Prisma Client sends them: the columns of Prisma have no time zone, so the
 * database would ignore an offset in its own default.
 */
function withUtcDefaults(schema: string): string {
  return schema.replaceAll(
    /(\bDateTime\b[^\n]*?@default\(\s*)((?:value:\s*)?["[][^)]*)/g,
    (_all, before: string, constants: string) => {
      const inUtc = constants.replaceAll(/"([^"]*[+-]\d\d:\d\d)"/g, (text: string, date: string) => {
        const moment = new Date(date);
        return Number.isNaN(moment.getTime()) ? text : `"${moment.toISOString()}"`;
      });
      return `${before}${inUtc}`;
    },
  );
}
