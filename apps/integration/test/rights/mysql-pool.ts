import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { connectionOptions } from "@servicekit/core/internal";
import { firstId, type RowDialect, type SqlPool } from "./record-rows.js";

/** Runs the same SQL as PostgreSQL in a database of MySQL or MariaDB; rows have the values that PostgreSQL returns. */
export async function openMysqlPool(url: string): Promise<SqlPool> {
  const factory = new PrismaMariaDb({
    ...connectionOptions(url),
    connectionLimit: 2,
    acquireTimeout: 60_000,
    multipleStatements: true,
    // MySQL caches the next ids of tables.
    initSql:
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ANSI_QUOTES,PIPES_AS_CONCAT' /*!80000 , information_schema_stats_expiry = 0 */",
    typeCast: (column, next) => {
      if (column.type !== "TINY" || column.columnLength !== 1) return next();
      const value: unknown = next();
      return value === null ? null : value === 1;
    },
  });
  const adapter = await factory.connect();
  return {
    query: async (sql) => ({ rows: (await adapter.underlyingDriver().query(sql)) as unknown[] }),
    end: () => adapter.dispose(),
  };
}

const counters = `SELECT TABLE_NAME AS name FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND AUTO_INCREMENT <> ${firstId}`;

/** Foreign keys are off while rows are replaced: a deleted row would delete those that reference it. */
export const mysqlDialect: RowDialect = {
  tables: "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()",
  before: "SET foreign_key_checks = 0; START TRANSACTION",
  after: "COMMIT; SET foreign_key_checks = 1",
  resetCounters: async (pool) => {
    const { rows } = await pool.query(counters);
    for (const { name } of rows) await pool.query(`ALTER TABLE "${name}" AUTO_INCREMENT = ${firstId}`);
  },
};
