export { type CreateDatabaseOptions, createDatabase } from "./databases/create-database.js";
export { createMissingDatabase } from "./databases/create-missing-database.js";
export type { CreatedDatabase } from "./databases/created-database.js";
export { findLocalPostgres } from "./databases/find-local-postgres.js";
export { type DatabaseContent, readDatabaseContent } from "./databases/read-database-content.js";
export { type ApplyMigrationsOptions, applyMigrations } from "./migrations/apply-migrations.js";
export { type BaselineOptions, baselineDatabase } from "./migrations/baseline-database.js";
export {
  type CreateMigrationOptions,
  type CreateMigrationResult,
  createMigration,
} from "./migrations/create-migration.js";
export { forgetFailedMigration } from "./migrations/forget-failed-migration.js";
export { findOutdatedColumns, type GeneratedColumn } from "./migrations/generated-columns.js";
export type { ExpressionIndex } from "./migrations/index-changes.js";
export {
  type IntrospectDatabaseOptions,
  type IntrospectedDatabase,
  introspectDatabase,
} from "./migrations/introspect-database.js";
export { MigrationError } from "./migrations/migration-error.js";
export { type MigrationStatus, migrationStatus } from "./migrations/migration-status.js";
export { outdatedDefaults } from "./migrations/outdated-defaults.js";
export { pushSchema } from "./migrations/push-schema.js";
export type { SchemaSource } from "./migrations/read-schema.js";
export { resetDatabase } from "./migrations/reset-database.js";
export {
  type MigrationFile,
  type MigrationFileOptions,
  writeMigrationFile,
} from "./migrations/write-migration-file.js";
export { type LockFileOptions, withLockFile } from "./server/lock-file.js";
export { type DevDatabase, type DevDatabaseOptions, startDevDatabase } from "./server/start-dev-database.js";
