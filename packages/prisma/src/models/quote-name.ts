import type { Model } from "./model.js";

/** A quoted name in SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The table's qualified name in SQL. */
export const quoteTable = ({ table }: Pick<Model, "table">, schema: string): string =>
  `${quoteName(schema)}.${quoteName(table)}`;
