import { readProvider } from "./provider.js";

/**
 * Why the database of a schema is not supported, in one line; `undefined` for PostgreSQL, MySQL and SQLite, and if the
 * provider is unknown (contract C77).
 *
 * @param provider that of the `datasource` block
 */
export function providerIssue(provider: string | undefined): string | undefined {
  if (readProvider(provider) !== undefined) return undefined;
  return `servicekit supports PostgreSQL, MySQL, MariaDB and SQLite, and the datasource of the schema has the provider "${provider}".`;
}
