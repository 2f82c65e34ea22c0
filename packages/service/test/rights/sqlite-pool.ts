import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Change, Recorder } from "./record-changes.js";

/** Runs SQL in an SQLite file. */
export interface SqlPool {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  query(sql: string): Promise<{ readonly rows: any[] }>;
  end(): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;
type Tables = ReadonlyMap<string, readonly Row[]>;

/** The used part of libSQL, which is installed for the adapter of the package `prisma`. */
interface LibSql {
  createClient(config: { url: string }): {
    execute(sql: string): Promise<{ columns: string[]; columnTypes: string[]; rows: Record<number, unknown>[] }>;
    executeMultiple(sql: string): Promise<void>;
    close(): void;
  };
}

function loadLibSql(): LibSql {
  const prisma = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../../prisma/package.json");
  const adapter = createRequire(prisma).resolve("@prisma/adapter-libsql");
  return createRequire(adapter)("@libsql/client") as LibSql;
}

/** Runs SQL in an SQLite file; rows have the values that PostgreSQL returns. */
export function openSqlitePool(url: string): SqlPool {
  const client = loadLibSql().createClient({ url });
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

/** Compares all rows with those of the last state. */
export async function recordSqliteChanges(pool: SqlPool): Promise<Recorder> {
  const { rows: names } = await pool.query(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const read = async (): Promise<Tables> => {
    const tables = new Map<string, readonly Row[]>();
    for (const { name } of names) tables.set(name, (await pool.query(`SELECT * FROM "${name}"`)).rows);
    return tables;
  };
  const restore = async (tables: Tables): Promise<void> => {
    const current = await read();
    const statements = [...tables].flatMap(([name, rows]) =>
      JSON.stringify(current.get(name)) === JSON.stringify(rows)
        ? []
        : [`DELETE FROM "${name}"`, ...rows.map((row) => insert(name, row))],
    );
    if (statements.length === 0) return;
    const sequences = `UPDATE sqlite_sequence SET seq = ${firstId}`;
    const script = ["PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE", ...statements, sequences, "COMMIT"];
    await pool.query(`${script.join("; ")}; PRAGMA foreign_keys = ON`);
  };
  await pool.query(`UPDATE sqlite_sequence SET seq = ${firstId}`);
  const initial = await read();
  let stored = initial;
  return {
    changes: async () => {
      const current = await read();
      return [...stored].flatMap(([name, before]) => differences(name, before, current.get(name) ?? []));
    },
    undo: () => restore(stored),
    store: async () => {
      stored = await read();
    },
    reset: async () => {
      await restore(initial);
      stored = initial;
    },
  };
}

/** New rows have higher ids than those of the tests. */
const firstId = 1000;

/** Rows by their id, or by their content without one: a row of a join table does not change. */
function differences(table: string, before: readonly Row[], after: readonly Row[]): readonly Change[] {
  const key = (row: Row): string =>
    "id" in row ? String(row.id) : JSON.stringify([row.teamId, row.userId, row.A, row.B]);
  const olds = new Map(before.map((row) => [key(row), row]));
  const news = new Map(after.map((row) => [key(row), row]));
  return [...new Set([...olds.keys(), ...news.keys()])].flatMap((one) => {
    const [was = null, is = null] = [olds.get(one), news.get(one)];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ table, before: was, after: is }];
  });
}

const insert = (table: string, row: Row): string =>
  `INSERT INTO "${table}" (${Object.keys(row)
    .map((name) => `"${name}"`)
    .join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`;

function literal(value: unknown): string {
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "boolean") return value ? "1" : "0";
  return value === null ? "NULL" : String(value);
}
