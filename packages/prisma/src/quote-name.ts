import type { Model } from "./model.js";

/** A name in SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The table's whole name in SQL. */
export const quoteTable = ({ table }: Pick<Model, "table">, schema: string): string =>
  `${quoteName(schema)}.${quoteName(table)}`;
