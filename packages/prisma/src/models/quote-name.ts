import type { Model } from "./model.js";

/** A quoted name in SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The table's name in SQL, qualified if the database schema is known. */
export const quoteTable = ({ table }: Pick<Model, "table">, schema: string | undefined): string =>
  schema === undefined ? quoteName(table) : `${quoteName(schema)}.${quoteName(table)}`;

/** A text as a constant of SQL. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
