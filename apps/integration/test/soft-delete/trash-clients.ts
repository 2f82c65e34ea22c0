import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { emptyMysql } from "../../../../scripts/test/mysql-database.js";
import { providers, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import { emptySqlite } from "../../../../scripts/test/sqlite-database.js";
import { PrismaClient } from "../generated/trash/client/client.js";
import { models } from "../generated/trash/models.js";
import { PrismaClient as MysqlClient } from "../generated/trash-mysql/client/client.js";
import { models as mysqlModels } from "../generated/trash-mysql/models.js";
import { PrismaClient as SqliteClient } from "../generated/trash-sqlite/client/client.js";
import { models as sqliteModels } from "../generated/trash-sqlite/models.js";

/** The models of the fixture `trash`, in the form of each provider. */
export const trashModels = { postgresql: models, sqlite: sqliteModels, mysql: mysqlModels };

/** The clients of the fixture `trash`, with the type of the one for PostgreSQL. */
export const trashClients: Readonly<Record<TestedProvider, typeof PrismaClient>> = {
  postgresql: PrismaClient,
  sqlite: SqliteClient as unknown as typeof PrismaClient,
  mysql: MysqlClient as unknown as typeof PrismaClient,
};

/** Whether the server of a provider responds. */
export const isTested = (provider: TestedProvider): boolean => providers.includes(provider);

/** Deletes all rows of tables and starts the ids again. */
export async function emptyTrash(
  provider: TestedProvider,
  url: string,
  client: PrismaClient,
  tables: readonly string[],
): Promise<void> {
  if (provider === "sqlite") await emptySqlite(url, tables);
  else if (provider === "mysql") await emptyMysql(url, tables);
  else await client.$executeRawUnsafe(emptyTables(...tables));
}
