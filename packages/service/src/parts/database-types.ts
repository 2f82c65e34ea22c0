import type { ChangeLog, Connections, Database, DatabaseSettings, PrismaClientLike } from "@servicekit/prisma";
import type { MatchStates } from "@servicekit/prisma/internal";
import type { AroundStatement, PoolState } from "@servicekit/prisma/postgres";
import type { Logger } from "pino";
import type { ModelConfigs } from "./make-client.js";
import type { OpenReplicas } from "./open-replicas.js";

/** The database of a service. */
export interface OpenDatabase {
  readonly database: Database;
  readonly client: PrismaClientLike;
  /** Those of the adapter of {@link client}; `undefined` for a client that the application created. */
  readonly connections?: Connections;
  /** The database schema of models without one; `undefined` without a URL of PostgreSQL. */
  readonly schema?: string | undefined;
  /** Decides which recorded states of rows a filter matches. */
  readonly matchStates: MatchStates;
  /** The load of its connections; `undefined` for a client that the application created. */
  readonly poolState?: () => PoolState;
  /** `undefined` without `database.replicas`. */
  readonly replicas?: Omit<OpenReplicas, "database"> | undefined;
}

/** What a database is opened with besides its settings. */
export interface OpenDatabaseContext {
  /** The configuration of the models by name. */
  readonly configs: ModelConfigs;
  readonly logger: Logger;
  readonly aroundStatement: AroundStatement | undefined;
  /** Stores the changes of rows. */
  readonly changes: ChangeLog | undefined;
  /** Runs the work of each transaction. */
  readonly aroundTransaction: DatabaseSettings["aroundTransaction"];
  /** Called after the commit of each transaction. */
  readonly onCommit: DatabaseSettings["onCommit"];
}
