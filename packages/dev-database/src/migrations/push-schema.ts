import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { requireSchemaEngine } from "../databases/database-url.js";
import { isSqliteUrl } from "../databases/is-sqlite-url.js";
import { withClient } from "../databases/with-client.js";
import { MigrationError, toMigrationError } from "./migration-error.js";
import { allTables } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/**
 * Creates the tables of a Prisma schema in an empty database, without migrations: for tests and prototypes. It is
 * atomic, except in SQLite and if there are enums: PostgreSQL can use a new enum value only after a commit.
 *
 * @throws MigrationError if the schema is invalid, or if the database is not empty and data would be lost.
 */
export async function pushSchema(url: string, schema: SchemaSource): Promise<void> {
  requireSchemaEngine(url, "npx prisma db push");
  const files = readSchema(schema);
  const push = (engine: SchemaEngine) => engine.schemaPush({ force: false, schema: files, filters: allTables });
  const isAtomic = !isSqliteUrl(url) && !(await hasEnums(url));
  const { unexecutable, warnings, executedSteps } = await withSchemaEngine(url, push, { isAtomic });
  const rejected = executedSteps === 0 ? [...unexecutable, ...warnings] : [];
  if (rejected.length > 0) throw new MigrationError(`The schema cannot be pushed: ${rejected.join(" ")}`);
}

async function hasEnums(url: string): Promise<boolean> {
  const enums = withClient(url, (client) => client.query("SELECT FROM pg_type WHERE typtype = 'e' LIMIT 1"));
  const { rowCount } = await enums.catch((error: unknown) => {
    throw toMigrationError(error);
  });
  return rowCount !== 0;
}
