import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { withClient } from "../databases/with-client.js";
import { MigrationError, toMigrationError } from "./migration-error.js";
import { allTables } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/**
 * Makes an empty database fit a Prisma schema, without migrations: for tests and first tries. It does all or nothing, unless there are
 * enums: PostgreSQL uses a new value of one only when it is committed.
 *
 * @throws MigrationError when the schema is not valid, or when the database is not empty and data would be lost.
 */
export async function pushSchema(url: string, schema: SchemaSource): Promise<void> {
  const files = readSchema(schema);
  const push = (engine: SchemaEngine) => engine.schemaPush({ force: false, schema: files, filters: allTables });
  const { unexecutable, warnings, executedSteps } = await withSchemaEngine(url, push, !(await hasEnums(url)));
  const refused = executedSteps === 0 ? [...unexecutable, ...warnings] : [];
  if (refused.length > 0) throw new MigrationError(`The schema cannot be pushed: ${refused.join(" ")}`);
}

async function hasEnums(url: string): Promise<boolean> {
  const enums = withClient(url, (client) => client.query("SELECT FROM pg_type WHERE typtype = 'e' LIMIT 1"));
  const { rowCount } = await enums.catch((error: unknown) => {
    throw toMigrationError(error);
  });
  return rowCount !== 0;
}
