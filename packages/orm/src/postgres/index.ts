export { makePostgresAdapter, type PostgresSettings } from "./make-postgres-adapter.js";
