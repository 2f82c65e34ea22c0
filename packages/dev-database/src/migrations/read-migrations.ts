import fs from "node:fs";
import path from "node:path";
import type { MigrationDirectory, MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { isMysqlUrl } from "@servicekit/core/internal";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { MigrationError } from "./migration-error.js";

/** The names of the file in a migration's folder and of the one next to the folders. */
export const migrationFile = "migration.sql";
export const lockFile = "migration_lock.toml";

/** The kind of a database in {@link lockFile}, as in a Prisma schema. */
export type MigrationProvider = "postgresql" | "sqlite" | "mysql";

/** The kind of the database of a URL. */
export function migrationProvider(url: string): MigrationProvider {
  if (isSqliteUrl(url)) return "sqlite";
  return isMysqlUrl(url) ? "mysql" : "postgresql";
}

/** The content of {@link lockFile}. */
export const lockText = (provider: MigrationProvider): string => `provider = "${provider}"\n`;

/** Nothing in the database is managed externally. */
export const allTables = { externalTables: [], externalEnums: [] };

/** @throws MigrationError if the folder does not exist: an empty result would hide a misspelled path. */
export function requireMigrations(directory: string): void {
  if (fs.existsSync(directory)) return;
  throw new MigrationError(`The migration folder ${path.resolve(directory)} does not exist.`);
}

/**
 * Reads a folder of migrations in the format of the engine; a missing folder is empty.
 *
 * @throws MigrationError if a migration has no file.
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

/** The scripts of migrations by their names, in the order in which they are applied. */
export const scriptsOf = ({ migrationDirectories }: MigrationList): ReadonlyMap<string, string> =>
  new Map(
    migrationDirectories.flatMap(({ path: name, migrationFile: { content } }) =>
      content.tag === "ok" ? [[name, content.value] as const] : [],
    ),
  );

/** @throws MigrationError if the migrations were written for another database than MySQL or MariaDB. */
export function requireMysql({ lockfile }: MigrationList): void {
  const written = /^\s*provider\s*=\s*"(.*)"/m.exec(lockfile.content ?? "")?.[1];
  if (written === undefined || written === "mysql") return;
  throw new MigrationError(
    `The migrations are for ${written}, see ${lockFile}, and the database URL is that of mysql.`,
    {
      code: "P3019",
    },
  );
}

function readMigration(baseDir: string, name: string): MigrationDirectory {
  const file = path.join(baseDir, name, migrationFile);
  try {
    return {
      path: name,
      migrationFile: { path: migrationFile, content: { tag: "ok", value: fs.readFileSync(file, "utf8") } },
    };
  } catch (error) {
    const message = `The migration ${name} has no ${migrationFile}. Write it or remove the folder.`;
    throw new MigrationError(message, { migration: name, cause: error });
  }
}
