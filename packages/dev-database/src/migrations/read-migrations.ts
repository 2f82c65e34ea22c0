import fs from "node:fs";
import path from "node:path";
import type { MigrationDirectory, MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { MigrationError } from "./migration-error.js";

/** The names of the file in a migration's folder and of the one beside the folders. */
export const migrationFile = "migration.sql";
export const lockFile = "migration_lock.toml";

/** Nothing in the database is managed by someone else. */
export const allTables = { externalTables: [], externalEnums: [] };

/** @throws MigrationError when there is no such folder: an empty answer would hide a misspelt path. */
export function requireMigrations(directory: string): void {
  if (fs.existsSync(directory)) return;
  throw new MigrationError(`There is no folder of migrations at ${path.resolve(directory)}.`);
}

/**
 * Reads a folder of migrations the way the engine wants it; a folder that is not there holds none.
 *
 * @throws MigrationError when a migration has no file.
 */
export function readMigrations(directory: string): MigrationList {
  const baseDir = path.resolve(directory);
  const entries = fs.existsSync(baseDir) ? fs.readdirSync(baseDir, { withFileTypes: true }) : [];
  const lock = path.join(baseDir, lockFile);
  return {
    baseDir,
    lockfile: { path: lockFile, content: fs.existsSync(lock) ? fs.readFileSync(lock, "utf8") : null },
    shadowDbInitScript: "",
    migrationDirectories: entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
      .map((name) => readMigration(baseDir, name)),
  };
}

function readMigration(baseDir: string, name: string): MigrationDirectory {
  const file = path.join(baseDir, name, migrationFile);
  try {
    return {
      path: name,
      migrationFile: { path: migrationFile, content: { tag: "ok", value: fs.readFileSync(file, "utf8") } },
    };
  } catch (error) {
    const message = `The migration ${name} has no ${migrationFile}; write it or remove the folder.`;
    throw new MigrationError(message, { migration: name, cause: error });
  }
}
