import fs from "node:fs";
import path from "node:path";
import { migrationName } from "./migration-name.js";
import { lockFile, lockText, type MigrationProvider, migrationFile, readMigrations } from "./read-migrations.js";

/** Options of `writeMigrationFile`. */
export interface MigrationFileOptions {
  /** The kind of the database, which is recorded beside the migrations. */
  readonly provider: MigrationProvider;
  /** The folder of the migrations; created if it does not exist. */
  readonly directory: string;
  /** A short description, such as "add author to post"; it becomes the end of the folder's name. */
  readonly name: string;
  readonly sql: string;
}

/** A migration that was written. */
export interface MigrationFile {
  /** `<timestamp>_<name>`: the name of the folder, later than those of the others. */
  readonly name: string;
  /** The absolute path of the new `migration.sql`. */
  readonly file: string;
}

/**
 * Writes a migration with the given SQL after the existing ones, without applying it.
 *
 * @throws MigrationError if an existing migration has no file
 */
export function writeMigrationFile({ provider, directory, name: words, sql }: MigrationFileOptions): MigrationFile {
  const { baseDir, migrationDirectories } = readMigrations(directory);
  const name = migrationName(words, migrationDirectories.at(-1)?.path);
  const file = path.join(baseDir, name, migrationFile);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, sql);
  const lock = path.join(baseDir, lockFile);
  if (!fs.existsSync(lock)) fs.writeFileSync(lock, lockText(provider));
  return { name, file };
}
