export {
  makePostgresAdapter,
  type PoolState,
  type PostgresAdapter,
  type PostgresSettings,
} from "./make-postgres-adapter.js";
export type { AroundStatement } from "./watch-statements.js";
