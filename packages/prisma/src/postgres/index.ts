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
export type { PoolState } from "./open-pool.js";
export type { AroundStatement } from "./watch-statements.js";
