import path from "node:path";
import { type ModelsData, readModels } from "../../packages/prisma/src/index.js";
import { createMysqlDatabase, mysqlProblem } from "./mysql-database.js";
import { createSqliteDatabase } from "./sqlite-database.js";
import { createPushedDatabase } from "./template-database.js";

/** The providers on which the same tests run. */
export type TestedProvider = "postgresql" | "sqlite" | "mysql";

const problem = await mysqlProblem();
if (problem !== undefined) console.warn(`The tests on MySQL and MariaDB are skipped: ${problem}`);

/** Those whose server responds. */
export const providers: readonly TestedProvider[] = [
  "postgresql",
  "sqlite",
  ...(problem === undefined ? (["mysql"] as const) : []),
];

/** A fixture that is also generated for SQLite and MySQL. */
export interface FixturePlace {
  /** The folder that contains `test/fixtures`, relative to the root. */
  readonly project: string;
  readonly fixture: string;
}

/**
 * A database with the tables of a fixture.
 *
 * @param serverUrl the PostgreSQL server; not used for other providers
 */
export async function createProviderDatabase(
  provider: TestedProvider,
  serverUrl: string,
  place: FixturePlace,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const tests = path.join(import.meta.dirname, "../..", place.project, "test");
  if (provider === "postgresql")
    return createPushedDatabase(serverUrl, path.join(tests, "fixtures", place.fixture, "schema.prisma"));
  const generated = path.join(tests, `generated/${place.fixture}-${provider}`);
  if (provider === "mysql") {
    const { models } = (await import(path.join(generated, "models.ts"))) as { models: ModelsData };
    return createMysqlDatabase(readModels(models));
  }
  const { url, drop } = await createSqliteDatabase(path.join(generated, "schema.prisma"));
  return { url, drop: async () => drop() };
}
