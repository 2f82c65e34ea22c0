export { type MysqlAdapter, type MysqlSettings, makeMysqlAdapter } from "./make-mysql-adapter.js";
