import { MigrationError } from "./migration-error.js";
import { allTables } from "./read-migrations.js";
import { readSchema, type SchemaSource } from "./read-schema.js";
import { withSchemaEngine } from "./with-schema-engine.js";

/**
 * Makes an empty database fit a Prisma schema, without migrations: for tests and first tries.
 *
 * @throws MigrationError when the schema is not valid, or when the database is not empty and data would be lost.
 */
export async function pushSchema(url: string, schema: SchemaSource): Promise<void> {
  const files = readSchema(schema);
  const { unexecutable, warnings, executedSteps } = await withSchemaEngine(url, (engine) =>
    engine.schemaPush({ force: false, schema: files, filters: allTables }),
  );
  const refused = executedSteps === 0 ? [...unexecutable, ...warnings] : [];
  if (refused.length > 0) throw new MigrationError(`The schema cannot be pushed: ${refused.join(" ")}`);
}
