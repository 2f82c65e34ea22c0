import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable, quoteText } from "../models/quote-name.js";
import type { Connections } from "./connections.js";

/** A column of a model. */
export interface ModelColumn {
  readonly model: Model;
  readonly field: StoredField;
}

/** A column in which the database treats different texts as equal, such as `ab`, `AB` and `ab `. */
export interface InexactText extends ModelColumn {
  /** Why, such as `the collation utf8mb4_general_ci`. */
  readonly reason: string;
  /** How to compare exactly, as an imperative sentence. */
  readonly fix: string;
}

type Query = Connections["query"];

/** The types and collations of PostgreSQL that ignore case, accents or blanks at the end. Domains have those of their type. */
export async function postgresInexactTexts(
  query: Query,
  columns: readonly ModelColumn[],
  schema: string | undefined,
): Promise<readonly InexactText[]> {
  if (columns.length === 0) return [];
  const list = columns.map(
    ({ model, field }) => `(${quoteText(quoteTable(model, model.schema ?? schema))}, ${quoteText(field.column)})`,
  );
  const rows = (await query(`WITH RECURSIVE types AS (SELECT oid, oid AS base FROM pg_type WHERE typtype <> 'd'
UNION ALL SELECT d.oid, t.base FROM pg_type d JOIN types t ON t.oid = d.typbasetype WHERE d.typtype = 'd'),
places AS (SELECT name, col, row_number() OVER () AS at FROM (VALUES ${list.join(", ")}) AS v(name, col))
SELECT p.at::int AS at, CASE WHEN b.typname = 'citext' THEN 'the type citext' WHEN b.typname = 'bpchar' THEN 'the type char' ELSE 'the collation ' || l.collname END AS reason
FROM places p JOIN pg_attribute a ON a.attrelid = to_regclass(p.name) AND a.attname = p.col
JOIN types t ON t.oid = a.atttypid JOIN pg_type b ON b.oid = t.base LEFT JOIN pg_collation l ON l.oid = a.attcollation
WHERE b.typname IN ('citext', 'bpchar') OR NOT l.collisdeterministic ORDER BY p.at`)) as readonly {
    readonly at: number;
    readonly reason: string;
  }[];
  const fix = "Give the column the type text, and no collation of its own.";
  return rows.flatMap(({ at, reason }) => {
    const column = columns[Number(at) - 1];
    return column === undefined ? [] : [{ ...column, reason, fix }];
  });
}

/** The collations of MySQL and MariaDB that ignore more than nothing: only those of code points without padding are exact. */
export async function mysqlInexactTexts(
  query: Query,
  columns: readonly ModelColumn[],
): Promise<readonly InexactText[]> {
  if (columns.length === 0) return [];
  const rows = (await query(
    "SELECT table_name AS `table`, column_name AS `column`, collation_name AS `collation` FROM information_schema.columns WHERE table_schema = DATABASE() AND collation_name IS NOT NULL AND data_type <> 'enum'",
  )) as readonly { readonly table: string; readonly column: string; readonly collation: string }[];
  const fix =
    "Give the column a collation that compares exactly, also blanks at the end: utf8mb4_nopad_bin on MariaDB, utf8mb4_0900_bin on MySQL.";
  return columns.flatMap((column) => {
    const { model, field } = column;
    const row = rows.find(
      (one) => one.table.toLowerCase() === model.table.toLowerCase() && one.column === field.column,
    );
    if (row === undefined || /(_nopad|_0900)_bin$|^binary$/.test(row.collation)) return [];
    return [{ ...column, reason: `the collation ${row.collation}`, fix }];
  });
}

/** The collations of SQLite, which no table of the database contains: an empty selection of the column has its collation. */
export async function sqliteInexactTexts(
  query: Query,
  columns: readonly ModelColumn[],
): Promise<readonly InexactText[]> {
  const texts: InexactText[] = [];
  for (const column of columns) {
    const [name, table] = [quoteName(column.field.column), quoteName(column.model.table)];
    const [row] = (await query(
      `SELECT max(text = 'AB') AS "case", max(text = 'ab ') AS blank FROM (SELECT ${name} AS text FROM ${table} WHERE 0 UNION ALL SELECT 'ab') AS texts`,
    )) as readonly { readonly case: unknown; readonly blank: unknown }[];
    const collation = Number(row?.case) === 1 ? "NOCASE" : Number(row?.blank) === 1 ? "RTRIM" : undefined;
    if (collation === undefined) continue;
    const fix = `Create the table again without COLLATE ${collation} in this column, and copy its rows.`;
    texts.push({ ...column, reason: `the collation ${collation}`, fix });
  }
  return texts;
}
