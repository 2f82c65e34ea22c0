import type { SqlDriverAdapter } from "@prisma/driver-adapter-utils";
import { asDefault, exactDefault } from "./exact-default.js";

/** A default of a column whose values the service cannot compare. */
export interface OutdatedDefault {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** The SQL of the default. */
  readonly value: string;
}

const defaults = `SELECT m.name, c.name, c.type, c.dflt_value FROM sqlite_master AS m, pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE '\\_prisma\\_%' ESCAPE '\\' AND c.dflt_value IS NOT NULL ORDER BY m.name, c.cid`;

/** The defaults of the tables in another form than {@link exactDefault}. */
export async function findOutdatedDefaults(adapter: SqlDriverAdapter): Promise<readonly OutdatedDefault[]> {
  const { rows } = await adapter.queryRaw({ sql: defaults, args: [], argTypes: [] });
  return rows
    .map(([table, column, type, value]) => ({
      table: String(table),
      column: String(column),
      type: String(type),
      value: asDefault(String(value)),
    }))
    .filter(({ type, value }) => exactDefault(type, value) !== value);
}
