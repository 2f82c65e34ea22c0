import type { Model, Models } from "../models/model.js";
import type { Provider } from "../providers/provider.js";
import type { Connections } from "./connections.js";
import { findInterceptions, type Interceptions } from "./find-interceptions.js";
import { findMissingTables } from "./find-missing-tables.js";
import { findUniqueIndexes, type UniqueIndex } from "./find-unique-indexes.js";
import {
  type InexactText,
  type ModelColumn,
  mysqlInexactTexts,
  postgresInexactTexts,
  sqliteInexactTexts,
} from "./inexact-texts.js";
import { missingMysqlTables, mysqlUniqueIndexes } from "./mysql-catalog.js";
import { missingSqliteTables, sqliteInterceptions, sqliteUniqueIndexes } from "./sqlite-catalog.js";

type Query = Connections["query"];

/** The queries of a database's own tables, which each provider names differently. */
export interface Catalog {
  missingTables(query: Query, models: Models, schema: string | undefined): Promise<readonly string[]>;
  uniqueIndexes(query: Query, models: readonly Model[], schema: string | undefined): Promise<readonly UniqueIndex[]>;
  inexactTexts(
    query: Query,
    columns: readonly ModelColumn[],
    schema: string | undefined,
  ): Promise<readonly InexactText[]>;
  interceptions(query: Query, models: Models, schema: string | undefined): Promise<Interceptions>;
}

const catalogs: Readonly<Record<Provider, Catalog>> = {
  postgresql: {
    missingTables: findMissingTables,
    uniqueIndexes: findUniqueIndexes,
    inexactTexts: postgresInexactTexts,
    interceptions: findInterceptions,
  },
  sqlite: {
    missingTables: missingSqliteTables,
    uniqueIndexes: sqliteUniqueIndexes,
    inexactTexts: sqliteInexactTexts,
    interceptions: sqliteInterceptions,
  },
  mysql: {
    missingTables: missingMysqlTables,
    uniqueIndexes: mysqlUniqueIndexes,
    inexactTexts: mysqlInexactTexts,
    // A trigger can change the values of a row or raise an error, and can skip no write.
    interceptions: async () => new Map(),
  },
};

export const catalogOf = (provider: Provider): Catalog => catalogs[provider];
