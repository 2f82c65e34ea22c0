export type { PoolState } from "../database/connections.js";
export type { AroundStatement } from "../database/watch-statements.js";
export {
  makePostgresAdapter,
  type PostgresAdapter,
  type PostgresSettings,
} from "./make-postgres-adapter.js";
export {
  makePostgresPool,
  type PostgresPool,
  type PostgresPoolSettings,
  type PostgresResult,
} from "./make-postgres-pool.js";
