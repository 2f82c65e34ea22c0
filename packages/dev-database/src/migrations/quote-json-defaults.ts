/**
 * Quotes the JSON defaults in SQL for SQLite, which Prisma's engine writes without quotes (prisma/orm#26571): `DEFAULT {}`
 * is invalid, and `DEFAULT []` is an empty name.
 */
export const quoteJsonDefaults = (sql: string): string =>
  sql.replaceAll(
    /( JSONB(?: NOT NULL)? DEFAULT )(\[.*\]|\{.*\}|".*")(?=,?;?$)/gm,
    (_all, column: string, json: string) => `${column}'${json.replaceAll("'", "''")}'`,
  );
