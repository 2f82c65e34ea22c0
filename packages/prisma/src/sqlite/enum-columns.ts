import type { Models } from "../models/model.js";

/** The stored values of the columns with an enum, by their name. */
export type EnumColumns = ReadonlyMap<string, ReadonlySet<unknown>>;

/**
 * Finds the columns with an enum in the table of a statement of Prisma Client.
 *
 * @returns a function of the SQL of a statement
 */
export function findEnumColumns(models: Models): (sql: string) => EnumColumns | undefined {
  const byTable = new Map<string, EnumColumns>();
  for (const { table, fields } of models.values()) {
    const enums = fields.filter((field) => field.kind === "enum");
    byTable.set(table, new Map(enums.map(({ column, databaseValues }) => [column, new Set(databaseValues)])));
  }
  return (sql) => {
    const name = tableName.exec(sql)?.[1];
    return name === undefined ? undefined : byTable.get(name.replaceAll("``", "`"));
  };
}

/** The first name is that of the table whose columns are returned. */
const tableName = /`main`\.`((?:[^`]|``)+)`/;
