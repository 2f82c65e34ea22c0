import { PrismaLibSql } from "@prisma/adapter-libsql";
import { firstId, type RowDialect, type SqlPool } from "./record-rows.js";

/** Runs SQL in an SQLite file; rows have the values that PostgreSQL returns. */
export function openSqlitePool(url: string): SqlPool {
  const client = new PrismaLibSql({ url }).createClient({ url });
  return {
    query: async (sql) => {
      await client.execute("PRAGMA busy_timeout = 60000");
      if (!/^\s*SELECT/i.test(sql)) {
        await client.executeMultiple(sql);
        return { rows: [] };
      }
      const { columns, columnTypes, rows } = await client.execute(sql);
      const readValue = (row: Record<number, unknown>, at: number): unknown =>
        columnTypes[at]?.toUpperCase() === "BOOLEAN" && row[at] !== null ? row[at] === 1 : row[at];
      return { rows: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, readValue(row, at)]))) };
    },
    end: async () => client.close(),
  };
}

/** Foreign keys are off while rows are replaced: a deleted row would delete those that reference it. */
export const sqliteDialect: RowDialect = {
  tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  before: "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE",
  after: "COMMIT; PRAGMA foreign_keys = ON",
  resetCounters: async (pool) => {
    await pool.query(`UPDATE sqlite_sequence SET seq = ${firstId}`);
  },
};
