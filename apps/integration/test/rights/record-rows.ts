import type { Change, Recorder } from "./record-changes.js";

/** Runs SQL beside the service. */
export interface SqlPool {
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  query(sql: string): Promise<{ readonly rows: any[] }>;
  end(): Promise<void>;
}

/** What differs between the databases whose rows are compared. */
export interface RowDialect {
  /** The query of the names of all tables. */
  readonly tables: string;
  /** The statements around those that replace rows. */
  readonly before: string;
  readonly after: string;
  /** Makes {@link firstId} the next id of each table, or nearly so. */
  resetCounters(pool: SqlPool): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;
type Tables = ReadonlyMap<string, readonly Row[]>;

/** New rows have higher ids than those of the tests. */
export const firstId = 1000;

/** Compares all rows with those of the last state. */
export async function recordRows(pool: SqlPool, dialect: RowDialect): Promise<Recorder> {
  const { rows: names } = await pool.query(dialect.tables);
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
    await pool.query([dialect.before, ...statements, dialect.after].join("; "));
    await dialect.resetCounters(pool);
  };
  await dialect.resetCounters(pool);
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
