import { parseDatabaseUrl, quoteName } from "../databases/database-url.js";
import { withClient } from "../databases/with-client.js";
import { toMigrationError } from "./migration-error.js";

/**
 * A column whose values PostgreSQL computes. The Prisma schema declares it with `@default(dbgenerated())`, so that Prisma Migrate
 * does not compare its expression.
 */
export interface GeneratedColumn {
  readonly table: string;
  /** The schema of the table, if the Prisma schema sets one. */
  readonly schema?: string | undefined;
  readonly column: string;
  /** The type, such as `tsvector`. */
  readonly type: string;
  readonly expression: string;
  /** The comment of the column, unique per expression: PostgreSQL returns an expression in another form. */
  readonly comment: string;
}

const tableOf = ({ table, schema }: GeneratedColumn): string =>
  schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;

const definitionOf = ({ column, type, expression }: GeneratedColumn): string =>
  `${quoteName(column)} ${type} GENERATED ALWAYS AS (${expression}) STORED`;

const commentOf = (column: GeneratedColumn): string =>
  `COMMENT ON COLUMN ${tableOf(column)}.${quoteName(column.column)} IS '${column.comment.replaceAll("'", "''")}';\n`;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Adds the expressions to the columns that a script of Prisma Migrate creates.
 *
 * @returns the script, and the columns that it does not create
 */
export function generateColumns(
  prismaScript: string,
  columns: readonly GeneratedColumn[],
): { readonly script: string; readonly others: readonly GeneratedColumn[] } {
  let script = prismaScript;
  const others: GeneratedColumn[] = [];
  for (const column of columns) {
    const statement = new RegExp(`^(?:CREATE|ALTER) TABLE ${escaped(tableOf(column))} [^;]*;`, "gm");
    const definition = new RegExp(`${escaped(quoteName(column.column))} ${escaped(column.type)}(?=[,;\\s])`);
    let isCreated = false;
    script = script.replaceAll(statement, (text) => {
      const changed = text.replace(definition, () => definitionOf(column));
      isCreated ||= changed !== text;
      return changed;
    });
    if (isCreated) script += `\n-- Comment\n${commentOf(column)}`;
    else others.push(column);
  }
  return { script, others };
}

interface FoundColumn {
  readonly at: number;
  /** The definitions of its indexes, which are dropped with it. */
  readonly indexes: readonly string[];
}

/** The statements that give existing columns these expressions; empty if all have them. */
export interface ColumnChanges {
  /** Before all others, because a column cannot be dropped while another one is computed from it. */
  readonly drops: string;
  /** After all others, because an expression may use new columns. */
  readonly additions: string;
}

/** Compares the generated columns of a database with these. */
export async function columnChanges(url: string, columns: readonly GeneratedColumn[]): Promise<ColumnChanges> {
  const changed = await readOutdated(url, columns);
  const alter = (column: GeneratedColumn, change: string): string =>
    `-- AlterTable\nALTER TABLE ${tableOf(column)} ${change};\n`;
  const add = ({ column, indexes }: (typeof changed)[number]): string =>
    `${alter(column, `ADD COLUMN ${definitionOf(column)}`)}${indexes.map((index) => `${index};\n`).join("")}${commentOf(column)}`;
  return {
    drops: changed.map(({ column }) => alter(column, `DROP COLUMN ${quoteName(column.column)}`)).join("\n"),
    additions: changed.map(add).join("\n"),
  };
}

/**
 * Returns the generated columns whose definition in a database is another one, as after an upgrade that changes their expressions.
 * Missing columns are not among them.
 *
 * @param url the connection string of a PostgreSQL database
 * @throws {MigrationError} if the database cannot be read
 */
export const findOutdatedColumns = async (
  url: string,
  columns: readonly GeneratedColumn[],
): Promise<readonly GeneratedColumn[]> => (await readOutdated(url, columns)).map(({ column }) => column);

interface OutdatedColumn extends Pick<FoundColumn, "indexes"> {
  readonly column: GeneratedColumn;
}

async function readOutdated(url: string, columns: readonly GeneratedColumn[]): Promise<readonly OutdatedColumn[]> {
  if (columns.length === 0) return [];
  const schema = parseDatabaseUrl(url).searchParams.get("schema") ?? "public";
  const expected = columns.map((column) => ({ ...column, schema: column.schema ?? schema }));
  const { rows } = await withClient(url, (client) =>
    client.query<FoundColumn>(outdatedSql, [JSON.stringify(expected)]),
  ).catch((error: unknown) => {
    throw toMigrationError(error);
  });
  return rows.map(({ at, indexes }) => ({ column: columns[at - 1] as GeneratedColumn, indexes }));
}

const outdatedSql = `SELECT c.n::int AS "at", ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
WHERE i.indrelid = a.attrelid AND a.attnum = ANY(i.indkey)) AS "indexes"
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS c(item, n)
JOIN pg_namespace s ON s.nspname = c.item ->> 'schema'
JOIN pg_class t ON t.relnamespace = s.oid AND t.relname = c.item ->> 'table'
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = c.item ->> 'column' AND NOT a.attisdropped
WHERE a.attgenerated <> 's' OR col_description(a.attrelid, a.attnum) IS DISTINCT FROM c.item ->> 'comment' ORDER BY c.n`;
