/** Reads rows in a transaction. */
export type Read = (sql: string, args?: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;

/** A row that refers to a missing one. */
export interface Orphan {
  readonly table: string;
  /** The columns of its foreign key. */
  readonly columns: string;
  readonly parent: string;
  /** The values of its primary key by column, such as `id 5`. */
  readonly key: string;
}

/** The rows that refer to missing ones. A table that is made again may give its rows other numbers, so the key identifies a row. */
export async function findOrphans(read: Read): Promise<readonly Orphan[]> {
  const keys = new Map<string, string>();
  const foreignKeys = new Map<string, string>();
  const orphans: Orphan[] = [];
  for (const row of await read('SELECT "table", rowid, parent, fkid FROM pragma_foreign_key_check')) {
    const [table, number, parent, id] = row as readonly [string, unknown, string, unknown];
    const columns = foreignKeys.get(`${id} ${table}`) ?? (await foreignKeyColumns(read, table, id));
    foreignKeys.set(`${id} ${table}`, columns);
    const names = keys.get(table) ?? (await keyColumns(read, table));
    keys.set(table, names);
    orphans.push({ table, parent, columns, key: await keyOf(read, { table, names, number }) });
  }
  return orphans;
}

/** The orphans that were not there before. */
export function newOrphans(before: readonly Orphan[], after: readonly Orphan[]): readonly Orphan[] {
  const texts = new Set(before.map((orphan) => JSON.stringify(orphan)));
  return after.filter((orphan) => !texts.has(JSON.stringify(orphan)));
}

/** The error of a script that leaves these rows. */
export function orphanMessage([first, ...others]: readonly [Orphan, ...Orphan[]]): string {
  const { table, key, columns, parent } = first;
  const more = others.length === 0 ? "" : `, and ${others.length} more such row${others.length === 1 ? "" : "s"}`;
  return `The row of ${table} with ${key} would refer by ${columns} to a row of ${parent} that does not exist${more}. Foreign keys are off in migrations of SQLite: delete or change these rows in the script too.`;
}

async function foreignKeyColumns(read: Read, table: string, id: unknown): Promise<string> {
  const rows = await read('SELECT "from" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq', [table, id]);
  return rows.map(([column]) => String(column)).join(", ");
}

/** A list of the columns, quoted. */
async function keyColumns(read: Read, table: string): Promise<string> {
  const rows = await read("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [table]);
  return rows.map(([column]) => quote(String(column))).join(", ") || "rowid";
}

async function keyOf(
  read: Read,
  { table, names, number }: { readonly table: string; readonly names: string; readonly number: unknown },
): Promise<string> {
  // A table without row numbers.
  if (number === null) return "an unknown key";
  const [values = []] = await read(`SELECT ${names} FROM ${quote(table)} WHERE rowid = ?`, [number]);
  const columns = names.split(", ").map((name) => (name === "rowid" ? name : name.slice(1, -1).replaceAll('""', '"')));
  return columns.map((column, at) => `${column} ${values[at]}`).join(", ");
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
