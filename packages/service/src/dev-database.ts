export {
  type ApplyMigrationsOptions,
  applyMigrations,
  type CreateDatabaseOptions,
  type CreatedDatabase,
  createDatabase,
  type DevDatabase,
  type DevDatabaseOptions,
  MigrationError,
  pushSchema,
  type SchemaSource,
  startDevDatabase,
} from "@servicekit/dev-database";
